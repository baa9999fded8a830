// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.policy.Mode;
import java.util.Locale;

/**
 * A consumer of a programme: its name, its topic, and how it reads.
 *
 * @param protocol Kafka's {@code group.protocol}
 */
record Reader(String name, Mode mode, String protocol, String topic) {

    static final String ORDERS = "orders";
    static final String RECEIPTS = "receipts";

    static final Reader DIRECT = new Reader("direct", Mode.DIRECT, "consumer", ORDERS);
    static final Reader DIRECT_CLASSIC = new Reader("direct-classic", Mode.DIRECT, "classic", ORDERS);

    /** Sends a receipt for each message through the outbox. */
    static final Reader STORED = new Reader("stored", Mode.STORED, "classic", ORDERS);

    static final Reader STORED_NEW = new Reader("stored-new", Mode.STORED, "consumer", ORDERS);

    /** The end of the chain. */
    static final Reader SINK = new Reader("sink", Mode.DIRECT, "classic", RECEIPTS);

    /** Appears while the standby is behind. */
    static final Reader LATE = new Reader("late", Mode.DIRECT, "classic", ORDERS);

    boolean sendsReceipts() {
        return name.equals(STORED.name);
    }

    String argument() {
        return String.join(":", name, mode.name(), protocol, topic);
    }

    static Reader of(String argument) {
        String[] parts = argument.split(":", -1);
        return new Reader(parts[0], Mode.valueOf(parts[1].toUpperCase(Locale.ROOT)), parts[2], parts[3]);
    }
}
