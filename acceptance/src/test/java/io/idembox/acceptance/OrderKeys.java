// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.KeyCase.consumer;

import io.idembox.HandlerException;
import io.idembox.Message;
import java.time.Duration;
import java.util.List;

/** What the messages of a key have to do with each other. */
final class OrderKeys {

    private OrderKeys() {}

    static List<KeyCase> all() {
        return List.of(
                consumer("ordering")
                        .besides("retry.first-delay", "1m")
                        .said("none", "later2, parked2")
                        .said("hold", "nothing done")
                        .said("skip-parked", "parked2")
                        .when(OrderKeys::behindOneThatFails),
                guarded("sequence.number")
                        .besides("sequence.first", "1")
                        .said("{ header: version }", "COMPLETED")
                        .said("{ json-field: /version }", "STORED")
                        .when(bench -> PolicyBench.kinds(bench.node(context -> {})
                                .handle(Message.of("m1", "OrderPlaced", "{\"version\":2}")
                                        .keyed("k")
                                        .header("version", "1")))),
                guarded("sequence.first")
                        .besides("sequence.number", "{ header: version }")
                        .said("none", "COMPLETED")
                        .said("1", "STORED")
                        .when(bench ->
                                PolicyBench.kinds(bench.node(context -> {}).handle(version(2)))),
                guarded("sequence.gap-timeout")
                        .besides("sequence.number", "{ header: version }")
                        .said("1m", "PARKED GAP")
                        .said("10m", "WAITING")
                        .when(OrderKeys::behindAGap),
                guarded("sequence.on-gap")
                        .besides("sequence.number", "{ header: version }")
                        .besides("sequence.gap-timeout", "1m")
                        .said("park", "PARKED GAP")
                        .said("skip", "nothing open")
                        .when(OrderKeys::behindAGap));
    }

    private static KeyCase.Draft guarded(String key) {
        return consumer(key).besides("ordering", "hold");
    }

    private static Message version(int version) {
        return DatabaseTest.message("v" + version).keyed("k").header("version", Integer.toString(version));
    }

    /** The first one of a key fails for now, the first one of another for good: which of the second ones are done? */
    private static String behindOneThatFails(PolicyBench bench) {
        Bench node = bench.node(context -> {
            switch (context.id().id()) {
                case "later1" -> throw new IllegalStateException("not yet");
                case "parked1" -> throw HandlerException.park("negative amount");
                default -> {
                    // done
                }
            }
        });
        node.store(keyed("later", 1), keyed("later", 2), keyed("parked", 1), keyed("parked", 2));
        workAll(node);
        return bench.done("billing");
    }

    private static Message keyed(String key, int nth) {
        return DatabaseTest.message(key + nth).keyed(key);
    }

    /** What became of the third one after five minutes without the second. */
    private static String behindAGap(PolicyBench bench) {
        Bench node = bench.node(context -> {});
        node.store(version(1));
        workAll(node);
        node.store(version(3));
        bench.clock.advance(Duration.ofMinutes(5));
        node.gaps().look();
        workAll(node);
        return bench.unfinished("billing");
    }

    private static void workAll(Bench node) {
        for (int rounds = 0; rounds < 10 && !node.work().isEmpty(); rounds++) {
            // as long as there is something
        }
    }
}
