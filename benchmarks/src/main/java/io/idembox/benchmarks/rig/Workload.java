// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/** What every stream is made of, so that suites can be compared. */
public final class Workload {

    public static final int ACCOUNTS = 10_000;

    public static final String TYPE = "Deposited";

    public static final String SOURCE = "/accounts";

    static final int PAYLOAD_BYTES = 300;

    /** A redelivery is one of this many last messages of the worker. */
    static final int REMEMBERED = 2_000;

    /** The part of the deliveries that are redeliveries. */
    static final double REDELIVERED = 0.1;

    private Workload() {}

    /** For the head of a result file. */
    public static String description() {
        return description("10,000 accounts");
    }

    /** The same for a suite with another number of accounts. */
    public static String description(String accounts) {
        return "300 bytes of JSON per message, random UUIDs (version 4) as ids, 10 % redeliveries out of the worker's last"
                + " 2000 messages, key = account (" + accounts + ", shared out between the workers);"
                + " the effect is one UPDATE of the account (fillfactor 70)";
    }
}
