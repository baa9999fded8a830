// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.DatabaseTest.message;
import static io.idembox.acceptance.KeyCase.consumer;

import java.time.Duration;
import java.util.List;

/** When a node stops for a while because too much fails. */
final class PauseKeys {

    private static final String STANDS = "BUSY";
    private static final String GOES_ON = "COMPLETED";

    private PauseKeys() {}

    static List<KeyCase> all() {
        return List.of(
                consumer("pause.failure-rate")
                        .besides("pause.minimum", "4")
                        .besides("pause.pause", "10m")
                        .said("0.5", STANDS)
                        .said("0.6", GOES_ON)
                        .when(bench -> next(bench, Duration.ZERO, "good1", "good2", "bad1", "bad2")),
                consumer("pause.minimum")
                        .besides("pause.failure-rate", "0.5")
                        .besides("pause.pause", "10m")
                        .said("2", STANDS)
                        .said("3", GOES_ON)
                        .when(bench -> next(bench, Duration.ZERO, "bad1", "bad2")),
                consumer("pause.window")
                        .besides("pause.failure-rate", "0.5")
                        .besides("pause.minimum", "2")
                        .besides("pause.pause", "10m")
                        .said("1m", GOES_ON)
                        .said("3m", STANDS)
                        .when(bench -> {
                            Bench node = node(bench);
                            node.handle(message("bad1"));
                            bench.clock.advance(Duration.ofMinutes(2));
                            node.handle(message("bad2"));
                            return PolicyBench.kinds(node.handle(message("next")));
                        }),
                consumer("pause.pause")
                        .besides("pause.failure-rate", "0.5")
                        .besides("pause.minimum", "1")
                        .said("1m", GOES_ON)
                        .said("3m", STANDS)
                        .when(bench -> next(bench, Duration.ofMinutes(2), "bad1")));
    }

    private static Bench node(PolicyBench bench) {
        return bench.node(context -> {
            if (context.id().id().startsWith("bad")) {
                throw new IllegalStateException("the bank is closed");
            }
        });
    }

    /** What the next message is told, some time after these. */
    private static String next(PolicyBench bench, Duration later, String... ids) {
        Bench node = node(bench);
        for (String id : ids) {
            node.handle(message(id));
        }
        bench.clock.advance(later);
        return PolicyBench.kinds(node.handle(message("next")));
    }
}
