// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.claims.MeteredLeases.Sample;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Spread;
import io.idembox.benchmarks.rig.WrongEffectsException;
import io.idembox.benchmarks.stored.Station;
import io.idembox.internal.worker.Maintenance;
import io.idembox.internal.worker.WorkerPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * What claims cost towards the end of a long drain by the library's own workers, while somebody's old snapshot keeps
 * every settled entry in the index.
 */
final class OldSnapshot {

    private static final Duration LATEST = Duration.ofMinutes(5);

    private final Arena arena;
    private final ClaimMeter meter;
    private final Station station;
    private final int messages;

    OldSnapshot(Arena arena, ClaimMeter meter, Station station, int messages) {
        this.arena = arena;
        this.meter = meter;
        this.station = station;
        this.messages = messages;
    }

    /**
     * The claims of a drain.
     *
     * @param first those of the first twentieth
     * @param last those of the last twentieth
     * @param sweeps those of the second half that looked from the very beginning
     */
    record Finding(boolean held, List<Sample> first, List<Sample> last, List<Sample> sweeps) {

        static Finding of(boolean held, List<Sample> samples) {
            int twentieth = Math.max(1, samples.size() / 20);
            return new Finding(
                    held,
                    samples.subList(0, twentieth),
                    samples.subList(samples.size() - twentieth, samples.size()),
                    samples.subList(samples.size() / 2, samples.size()).stream()
                            .filter(sample -> sample.floor() == 0)
                            .toList());
        }

        double bufferRatio() {
            return Spread.of(last, Sample::buffers).median()
                    / Spread.of(first, Sample::buffers).median();
        }

        double timeRatio() {
            return Spread.of(last, Sample::millis).median()
                    / Spread.of(first, Sample::millis).median();
        }
    }

    Finding drain(boolean held, long seed) throws SQLException {
        System.out.printf("Draining %,d messages%s%n", messages, held ? " under an old snapshot" : "");
        arena.empty(Station.tables());
        Feed feed = new Feed(new SplittableRandom(seed), 0, 1, false);
        while (feed.fresh() < messages) {
            station.store(feed.next(Station.INTAKE));
        }
        arena.vacuum(Station.tables());
        long effectsBefore = arena.ask(Accounts.EFFECTS);
        MeteredLeases leases = new MeteredLeases(station.leases(), meter);
        try (Connection other = arena.connect();
                Statement statement = other.createStatement()) {
            if (held) {
                other.setAutoCommit(false);
                other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                statement.execute("select count(*) from idembox_entry");
            }
            work(leases);
        }
        long effects = arena.ask(Accounts.EFFECTS) - effectsBefore;
        if (effects != messages || arena.ask(station.leftOver()) != 0) {
            throw new WrongEffectsException(
                    "Drain under a snapshot: %d messages, %d effects".formatted(messages, effects));
        }
        return Finding.of(held, leases.samples());
    }

    private void work(MeteredLeases leases) {
        try (Maintenance maintenance = station.housekeeping();
                WorkerPool workerPool = station.crew(leases, maintenance)) {
            workerPool.start();
            long deadline = System.nanoTime() + LATEST.toNanos();
            while ((leases.claimed() < messages || arena.ask(station.waiting()) > 0) && System.nanoTime() < deadline) {
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }
}
