// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.DatabaseTest.message;
import static io.idembox.acceptance.KeyCase.consumer;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Payload;
import io.idembox.Subscription;
import io.idembox.event.InboxEvent;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** When somebody is told that a consumer is in trouble, and who is to be called. */
final class AlertKeys {

    private static final String NOBODY = "nobody is told";

    private AlertKeys() {}

    static List<KeyCase> all() {
        return List.of(
                consumer("alerts.parked")
                        .said("1", "PARKED")
                        .said("2", NOBODY)
                        .when(bench -> told(bench, AlertKeys::parkOne)),
                consumer("alerts.pending-age")
                        .said("1m", "PENDING_AGE")
                        .said("3m", NOBODY)
                        .when(bench -> told(bench, inbox -> inbox.store(PolicyBench.CONSUMER, message("m1")))),
                consumer("alerts.sequence-gap")
                        .besides("strategy", "sequenced")
                        .besides("sequence.number", "{ header: version }")
                        .besides("retry.by", "inbox")
                        .said("1m", "SEQUENCE_GAP")
                        .said("3m", NOBODY)
                        .when(bench -> told(bench, AlertKeys::leaveAGap)),
                consumer("alerts.duplicate-share")
                        .said("0.5", "DUPLICATE_SHARE")
                        .said("0.51", NOBODY)
                        .when(bench -> told(bench, AlertKeys::repeatTen)),
                consumer("owner")
                        .besides("alerts.parked", "1")
                        .said("none", "null")
                        .said("\"team-billing, pager 7\"", "team-billing, pager 7")
                        .when(bench -> {
                            told(bench, AlertKeys::parkOne);
                            return alerts(bench).stream()
                                    .map(alert -> String.valueOf(alert.owner()))
                                    .collect(Collectors.joining());
                        }));
    }

    private interface Trouble {

        void on(Inbox inbox);
    }

    /** What is told two minutes after the trouble. */
    private static String told(PolicyBench bench, Trouble trouble) throws ReflectiveOperationException {
        try (Inbox inbox = bench.open()) {
            trouble.on(inbox);
            bench.clock.advance(Duration.ofMinutes(2));
            Backroom.tidyUp(inbox);
        }
        List<InboxEvent.Alert> alerts = alerts(bench);
        return alerts.isEmpty()
                ? NOBODY
                : alerts.stream().map(alert -> alert.kind().name()).collect(Collectors.joining(" "));
    }

    private static List<InboxEvent.Alert> alerts(PolicyBench bench) {
        return bench.seen.all(InboxEvent.Alert.class);
    }

    private static void parkOne(Inbox inbox) {
        inbox.handle(PolicyBench.CONSUMER, message("m1"), context -> {
            throw HandlerException.park("negative amount");
        });
    }

    /** The second one does not come. */
    private static void leaveAGap(Inbox inbox) {
        Subscription billing =
                inbox.subscribe(PolicyBench.CONSUMER).on("OrderPlaced", Payload.class, (payload, context) -> {});
        billing.handle(message("v1").keyed("k").header("version", "1"));
        billing.handle(message("v3").keyed("k").header("version", "3"));
    }

    /** Half of twenty deliveries are duplicates. */
    private static void repeatTen(Inbox inbox) {
        for (int nth = 0; nth < 20; nth++) {
            inbox.handle(PolicyBench.CONSUMER, message("m" + nth / 2), context -> {});
        }
    }
}
