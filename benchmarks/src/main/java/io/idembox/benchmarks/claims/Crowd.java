// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import io.idembox.benchmarks.claims.ClaimMeter.Cost;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.stored.Station;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a claim costs with few entries and with many, which are made by the server. */
final class Crowd {

    private static final int FEW = 10_000;
    private static final int BATCH = 100;
    private static final int CLAIMS = 20;

    private final Arena arena;
    private final ClaimMeter meter;
    private final Station station;
    private final int many;

    Crowd(Arena arena, ClaimMeter meter, Station station, int many) {
        this.arena = arena;
        this.meter = meter;
        this.station = station;
        this.many = many;
    }

    /**
     * A claim among many entries, and the same claim among few.
     *
     * @param statistics whether the planner knew about them
     */
    record Finding(String crowd, boolean statistics, Cost few, Cost crowded) {

        double bufferRatio() {
            return crowded.buffers() / few.buffers();
        }

        double timeRatio() {
            return crowded.millis() / few.millis();
        }
    }

    List<Finding> findings() {
        String others = "%,d waiting, %,d not yet due".formatted(many, many);
        List<Finding> all = new ArrayList<>();
        // What is done came before what is to be done.
        all.addAll(compare("%,d completed".formatted(many), () -> addNew(many + 1, many + FEW), this::addCompleted));
        all.addAll(compare("%,d new, %s".formatted(many, others), () -> addNew(1, FEW), () -> {
            addNew(FEW + 1, many);
            addOthers();
        }));
        all.addAll(compare("%,d due again, %s".formatted(many, others), () -> addDueAgain(1, FEW), () -> {
            addDueAgain(FEW + 1, many);
            addOthers();
        }));
        return all;
    }

    private List<Finding> compare(String crowd, Runnable few, Runnable crowding) {
        System.out.println("Claims: " + crowd);
        arena.empty(Station.tables());
        few.run();
        // Makes the plans, and as many dead leases as there are before the same measurement in the crowd.
        claims();
        Cost before = claims();
        vacuum();
        Cost beforeWithStatistics = claims();
        crowding.run();
        // The connection's plan was made for few, and nobody has told the planner.
        Cost after = claims();
        vacuum();
        return List.of(
                new Finding(crowd, false, before, after), new Finding(crowd, true, beforeWithStatistics, claims()));
    }

    private void vacuum() {
        arena.vacuum(List.of("idembox_entry", "idembox_lease"));
    }

    /** The mean of some claims; what is claimed is given back at once, without a trace in the entries. */
    private Cost claims() {
        Cost before = meter.claims();
        for (int i = 0; i < CLAIMS; i++) {
            List<Lease> leases = station.leases()
                    .claim(station.consumer(), new LeaseStore.Demand(1, BATCH, Duration.ofMinutes(1), 0));
            if (leases.size() != 1 || leases.get(0).arrivals().size() != BATCH) {
                throw new IllegalStateException("A claim did not find what is there: " + leases);
            }
            arena.execute("delete from idembox_lease");
        }
        return meter.claims().since(before).each();
    }

    private void addNew(int first, int last) {
        addEntries(first, last, 0, "'RECEIVED', 0, null");
    }

    private void addDueAgain(int first, int last) {
        addEntries(first, last, 2, "'FAILED_RETRYABLE', 1, now() - interval '1 hour' + n * interval '1 microsecond'");
    }

    private void addOthers() {
        addEntries(1, many, 4, "'FAILED_RETRYABLE', 1, now() + interval '1 day' + n * interval '1 microsecond'");
        addEntries(1, many, 6, "'WAITING', 0, null");
    }

    private void addEntries(int first, int last, int slot, String how) {
        arena.execute("""
                insert into idembox_entry (arrival, consumer_id, crashes, releases, owner, state, failures, due_at)
                select n * 2048::bigint + %d, %d, 0, 0, 'INBOX', %s
                  from generate_series(%d, %d) n
                """.formatted(slot, station.consumer().number(), how, first, last));
    }

    /** They arrived, had entries, and are done. */
    private void addCompleted() {
        addNew(1, many);
        arena.execute(
                "delete from idembox_entry where arrival <= %d * 2048::bigint".formatted(many),
                """
                insert into idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
                select n * 2048::bigint, now(), gen_random_uuid(), %d, 1, 'S', '\\x01'::bytea || uuid_send(gen_random_uuid())
                  from generate_series(1, %d) n
                """.formatted(station.consumer().number(), many),
                """
                insert into idembox_outcome (arrival, settled_at, attempts)
                select n * 2048::bigint, now(), 1
                  from generate_series(1, %d) n
                """.formatted(many),
                "vacuum idembox_entry");
    }
}
