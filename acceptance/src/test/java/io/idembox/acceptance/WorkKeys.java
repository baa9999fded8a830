// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How workers go about it, and how long what they did is remembered: of a consumer, an intent, a destination. */
final class WorkKeys {

    private static final Duration SHORT_LEASE = Duration.ofMillis(400);

    private WorkKeys() {}

    static List<KeyCase> all() {
        List<KeyCase> all = new ArrayList<>();
        for (Place sequenceNumber : Place.values()) {
            all.add(workers(sequenceNumber));
            all.add(lease(sequenceNumber));
            all.add(maxProcessing(sequenceNumber));
            all.add(poll(sequenceNumber));
            all.add(marks(sequenceNumber));
        }
        // Each intent has a lease of its own.
        all.add(batch(Place.CONSUMER));
        all.add(batch(Place.DESTINATION));
        return all;
    }

    private static KeyCase workers(Place sequenceNumber) {
        KeyCase.Draft key = sequenceNumber == Place.INTENT
                ? sequenceNumber.key("work.workers")
                : sequenceNumber.key("work.workers").besides("work.batch", "1");
        return key.said("1", "1 at once").said("3", "3 at once").when(bench -> {
            try (Inbox inbox = bench.open();
                    Gate gate = new Gate()) {
                sequenceNumber.begin(bench, inbox, fiveIds(), id -> gate.pass());
                gate.awaitInside(1);
                // As many batches are claimed as there are workers, and none of them waits for one.
                int batches = bench.leases(sequenceNumber.consumer(), "token").size();
                gate.awaitInside(batches);
                return batches + " at once";
            }
        });
    }

    private static KeyCase batch(Place sequenceNumber) {
        return sequenceNumber
                .key("work.batch")
                .besides("work.workers", "1")
                .said("2", "[2]")
                .said("4", "[4]")
                .when(bench -> leases(bench, sequenceNumber, "cardinality(arrivals)"));
    }

    private static KeyCase lease(Place sequenceNumber) {
        KeyCase.Draft key = sequenceNumber == Place.INTENT
                ? sequenceNumber.key("work.lease")
                : sequenceNumber.key("work.lease").besides("work.batch", "100");
        return key.besides("work.workers", "1")
                .said("20s", "[20]")
                .said("40s", "[40]")
                .when(bench -> leases(bench, sequenceNumber, "datediff(second, claimed_at, lease_until)"));
    }

    /** Something of the leases while the first of five messages is worked on. */
    private static String leases(PolicyBench bench, Place sequenceNumber, String what) throws Exception {
        try (Inbox inbox = bench.open();
                Gate gate = new Gate()) {
            sequenceNumber.begin(bench, inbox, fiveIds(), id -> gate.pass());
            gate.awaitInside(1);
            return bench.leases(sequenceNumber.consumer(), what).toString();
        }
    }

    private static List<String> fiveIds() {
        return List.of("m1", "m2", "m3", "m4", "m5");
    }

    private static KeyCase maxProcessing(Place sequenceNumber) {
        return sequenceNumber
                .key("work.max-processing")
                .besides("work.lease", SHORT_LEASE.toMillis() + "ms")
                .said("400ms", "interrupted")
                .said("1h", "may go on")
                .when(bench -> afterMoreThanItsLease(bench, sequenceNumber));
    }

    /** Somebody takes longer than its lease: the next round of renewals leaves it out, or does not. */
    private static String afterMoreThanItsLease(PolicyBench bench, Place sequenceNumber) throws Exception {
        try (Inbox inbox = bench.open();
                Gate gate = new Gate()) {
            sequenceNumber.begin(bench, inbox, List.of("slow"), id -> gate.pass());
            gate.awaitInside(1);
            gate.awaitInterrupt(SHORT_LEASE.plusMillis(50));
            // The first renewal may have begun in time; the second one has not.
            for (int renewals = 0; renewals < 2; renewals++) {
                bench.clock.advance(SHORT_LEASE.dividedBy(4));
                PolicyBench.awaitThat(() -> gate.wasInterrupted() || isRenewed(bench, sequenceNumber));
            }
            return gate.wasInterrupted() ? "interrupted" : "may go on";
        }
    }

    private static boolean isRenewed(PolicyBench bench, Place sequenceNumber) {
        return bench.leases(
                        sequenceNumber.consumer(),
                        "lease_until >= timestamp with time zone '"
                                + bench.clock.instant().plus(SHORT_LEASE) + "'")
                .equals(List.of("TRUE"));
    }

    private static KeyCase poll(Place sequenceNumber) {
        return sequenceNumber
                .key("work.poll")
                .said("20ms", "as often as before")
                .said("1h", "less and less often")
                .when(bench -> looks(bench, sequenceNumber));
    }

    /** Who finds nothing looks again after 10 milliseconds, then after twice as many and so on, up to what is said. */
    private static String looks(PolicyBench bench, Place sequenceNumber) throws SQLException, InterruptedException {
        Looks looks = new Looks(sequenceNumber.consumer());
        try (Inbox inbox = bench.open(looks.noticedOn(bench.database.dataSource()))) {
            sequenceNumber.begin(bench, inbox, List.of(), id -> {});
            List<Duration> pauses = looks.pauses(6);
            Duration shortest = Collections.min(pauses.subList(4, 6));
            return shortest.compareTo(Duration.ofMillis(160)) < 0 ? "as often as before" : "less and less often";
        }
    }

    private static KeyCase marks(Place sequenceNumber) {
        return sequenceNumber
                .key("retention.ledger")
                .said("1d", "0 known")
                .said("3d", "1 known")
                .when(bench -> {
                    try (Inbox inbox = bench.open()) {
                        sequenceNumber.begin(bench, inbox, List.of("m1"), id -> {});
                        bench.awaitCompleted(sequenceNumber.consumer(), 1);
                        bench.clock.advance(Duration.ofDays(2));
                        Backroom.tidyUp(inbox);
                        return bench.known(sequenceNumber.consumer()) + " known";
                    }
                });
    }
}
