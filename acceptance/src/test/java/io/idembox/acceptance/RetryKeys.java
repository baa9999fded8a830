// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** When something that failed is tried again: by a consumer, for an intent, for what is sent. */
final class RetryKeys {

    private static final String TEN_SECONDS = "FAILED_RETRYABLE in 10s";

    private RetryKeys() {}

    static List<KeyCase> all() {
        List<KeyCase> all = new ArrayList<>();
        all.add(by());
        for (Place sequenceNumber : Place.values()) {
            all.addAll(of(sequenceNumber));
        }
        // What an intent's failure means is said by its sender.
        all.add(rules(Place.CONSUMER));
        all.add(rules(Place.DESTINATION));
        return all;
    }

    private static KeyCase by() {
        return KeyCase.consumer("retry.by")
                .said("redelivery", "FAILED REDELIVERY")
                .said("inbox", "STORED INBOX")
                .when(bench -> {
                    Bench node = bench.node(context -> {
                        throw new IllegalStateException("not yet");
                    });
                    return PolicyBench.kinds(node.handle(DatabaseTest.message("m1"))) + " "
                            + bench.database.one("select owner from idembox_entry");
                });
    }

    private static List<KeyCase> of(Place sequenceNumber) {
        return List.of(
                steady(sequenceNumber, "retry.max-attempts")
                        .besides("retry.first-delay", "10s")
                        .said("1", "FAILED_TERMINAL")
                        .said("2", TEN_SECONDS)
                        .when(bench -> failing(bench, sequenceNumber, 1)),
                steady(sequenceNumber, "retry.first-delay")
                        .said("10s", TEN_SECONDS)
                        .said("40s", "FAILED_RETRYABLE in 40s")
                        .when(bench -> failing(bench, sequenceNumber, 1)),
                steady(sequenceNumber, "retry.max-delay")
                        .besides("retry.first-delay", "10s")
                        .besides("retry.multiplier", "6")
                        .said("10s", TEN_SECONDS)
                        .said("50s", "FAILED_RETRYABLE in 50s")
                        .when(bench -> failing(bench, sequenceNumber, 2)),
                steady(sequenceNumber, "retry.multiplier")
                        .besides("retry.first-delay", "10s")
                        .said("1", TEN_SECONDS)
                        .said("3", "FAILED_RETRYABLE in 30s")
                        .when(bench -> failing(bench, sequenceNumber, 2)),
                sequenceNumber
                        .key("retry.jitter")
                        .besides("retry.first-delay", "30d")
                        .besides("retry.max-delay", "30d")
                        .said("0", "all of the pause")
                        .said("1", "a part of it")
                        .when(bench -> failing(bench, sequenceNumber, 1).endsWith(" in " + 30 * 86_400 + "s")
                                ? "all of the pause"
                                : "a part of it"));
    }

    private static KeyCase.Draft steady(Place sequenceNumber, String key) {
        return sequenceNumber.key(key).besides("retry.jitter", "0");
    }

    private static KeyCase rules(Place sequenceNumber) {
        return steady(sequenceNumber, "retry.rules")
                .besides("retry.first-delay", "10s")
                .said("{ java.lang.IllegalStateException: transient }", TEN_SECONDS)
                .said("{ java.lang.IllegalStateException: permanent }", "FAILED_TERMINAL")
                .said("{ java.lang.IllegalStateException: unreadable }", "PARKED UNREADABLE")
                .said("{ java.lang.IllegalStateException: park }", "PARKED HANDLER")
                .when(bench -> failing(bench, sequenceNumber, 1));
    }

    /**
     * How a message goes on that fails that often, each time when it is due. Others get through with it: where nothing does, a relay
     * counts no attempt.
     */
    private static String failing(PolicyBench bench, Place sequenceNumber, int times) throws SQLException {
        for (int nth = 1; nth <= times; nth++) {
            List<String> ids = nth == 1 ? List.of("bad", "good") : List.of("good" + nth);
            bench.clock.advance(nth == 1 ? Duration.ZERO : Duration.ofSeconds(10));
            try (Inbox inbox = bench.open()) {
                sequenceNumber.begin(bench, inbox, ids, id -> {
                    if (id.equals("bad")) {
                        throw new IllegalStateException("not yet");
                    }
                });
                bench.awaitFailures(sequenceNumber.consumer(), nth);
                bench.awaitCompleted(sequenceNumber.consumer(), nth);
            }
        }
        return bench.unfinished(sequenceNumber.consumer());
    }
}
