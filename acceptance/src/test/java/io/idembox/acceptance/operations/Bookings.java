// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.operations;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Messages in order, and what the table of {@code balances} has to look like after them. Not thread-safe. */
final class Bookings {

    private static final int KEYS = 2_000;
    private static final int AT_ONCE = 500;

    private final Map<String, String> digests = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private int next;

    int receipts() {
        return (next + Service.RECEIPT_EVERY - 1) / Service.RECEIPT_EVERY;
    }

    /** Stores so many more; every key gets its messages in the order of their numbers. */
    void store(Inbox inbox, int messages) {
        for (int left = messages; left > 0; left -= AT_ONCE) {
            List<Message> batch = new ArrayList<>();
            for (int i = 0; i < Math.min(left, AT_ONCE); i++) {
                batch.add(book());
            }
            for (Receipt receipt : inbox.store(Service.BALANCES, batch)) {
                if (receipt.kind() != Receipt.Kind.STORED) {
                    throw new AssertionError("A new message was answered " + receipt);
                }
            }
        }
    }

    private Message book() {
        String id = "b-" + next;
        String key = "k" + next % KEYS;
        next++;
        digests.merge(key, md5(id), (before, own) -> md5(before + own));
        counts.merge(key, 1, Integer::sum);
        return Message.of(id, "Booked", "{\"cents\":5}").from("/bank").keyed(key);
    }

    /** Key, how many, and the digest over them in their order. */
    Map<String, String> expected() {
        Map<String, String> rows = new TreeMap<>();
        digests.forEach((key, digest) -> rows.put(key, counts.get(key) + " " + digest));
        return rows;
    }

    private static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return String.format(Locale.ROOT, "%032x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
