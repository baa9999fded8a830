// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import io.idembox.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The messages of a run, the same for the same seed. Keys are drawn at random; a message carries its place among the
 * messages of its key.
 *
 * <p>One in twenty fails once. One in a thousand is poison, at most one of a key. Half of the poison comes last of its key:
 * nothing has to wait behind it, so everything else of the key has to be done. The other half has up to ten messages
 * behind it: exactly those have to be waiting in the end, and none of them may ever run.
 */
final class Workload {

    private static final int BEHIND_POISON = 10;

    private final List<Item> items = new ArrayList<>();
    private final List<List<Item>> byKey = new ArrayList<>();

    /**
     * One message.
     *
     * @param nr its place among all messages
     * @param sequenceNumber its place among the messages of its key
     */
    record Item(int nr, int key, int sequenceNumber, Fate fate) {

        String id() {
            return "c" + nr;
        }

        String keyName() {
            return "key-" + key;
        }

        Message message() {
            return Message.of(id(), fate.name(), String.valueOf(sequenceNumber))
                    .from("/cluster")
                    .keyed(keyName());
        }

        private Item withFate(Fate newFate) {
            return new Item(nr, key, sequenceNumber, newFate);
        }
    }

    Workload(int messages, int keys, long seed) {
        Random random = new Random(seed);
        for (int key = 0; key < keys; key++) {
            byKey.add(new ArrayList<>());
        }
        for (int nr = 0; nr < messages; nr++) {
            int key = random.nextInt(keys);
            List<Item> line = byKey.get(key);
            Item item = new Item(nr, key, line.size(), random.nextInt(20) == 0 ? Fate.FAILS_ONCE : Fate.FINE);
            items.add(item);
            line.add(item);
        }
        poison(Math.max(2, messages / 1_000), random);
    }

    private void poison(int wanted, Random random) {
        List<List<Item>> lines = new ArrayList<>(byKey);
        lines.removeIf(line -> line.size() < 2);
        Collections.shuffle(lines, random);
        for (int i = 0; i < Math.min(wanted, lines.size()); i++) {
            List<Item> line = lines.get(i);
            int last = line.size() - 1;
            int behind = i % 2 == 0 ? 0 : 1 + random.nextInt(Math.min(BEHIND_POISON, last));
            Item poison = line.get(last - behind).withFate(Fate.POISON);
            line.set(poison.sequenceNumber(), poison);
            items.set(poison.nr(), poison);
        }
    }

    /** In the order in which they are sent. */
    List<Item> items() {
        return items;
    }

    /** Of each key, in the order in which they are sent. */
    List<List<Item>> byKey() {
        return byKey;
    }
}
