// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The messages of a run, the same for the same seed. Each carries its place among the messages of its key. */
final class Workload {

    private static final int IN_THREE_MINUTES = 16_500;
    private static final int KEYS = 600;

    /** One in as many fails in its first attempt. */
    private static final int FAILING = 25;

    private final List<Item> items = new ArrayList<>();
    private final List<List<Item>> byKey = new ArrayList<>();

    /**
     * One message.
     *
     * @param nr its place among all messages
     * @param sequenceNumber its place among the messages of its key
     */
    record Item(int nr, int key, int sequenceNumber, boolean failsOnce) {

        String id() {
            return "s" + nr;
        }

        String keyName() {
            return "key-" + key;
        }

        String type() {
            return failsOnce ? SoakConsumer.FAILS_ONCE : SoakConsumer.FINE;
        }

        ProducerRecord<byte[], byte[]> record(String topic) {
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(topic, null, bytes(keyName()), bytes(String.valueOf(sequenceNumber)));
            record.headers().add("ce_id", bytes(id()));
            record.headers().add("ce_source", bytes("/soak"));
            record.headers().add("ce_type", bytes(type()));
            return record;
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    Workload(Options options) {
        this(options.share(IN_THREE_MINUTES), KEYS, options.seed());
    }

    Workload(int messages, int keys, long seed) {
        Random random = new Random(seed + 1);
        for (int key = 0; key < keys; key++) {
            byKey.add(new ArrayList<>());
        }
        for (int nr = 0; nr < messages; nr++) {
            int key = random.nextInt(keys);
            List<Item> line = byKey.get(key);
            Item item = new Item(nr, key, line.size(), random.nextInt(FAILING) == 0);
            items.add(item);
            line.add(item);
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
