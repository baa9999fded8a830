// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import io.idembox.benchmarks.claims.ClaimMeter.Cost;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.WrongEffectsException;
import io.idembox.benchmarks.stored.Station;
import java.util.SplittableRandom;

/**
 * What loading a claimed batch costs with the plan a connection made on the first day, when there was next to nothing, and
 * with a plan that knows better.
 */
final class StalePlans {

    private static final int SMALL_BATCHES = 20;
    private static final int BATCHES = 50;
    private static final int STORED = 4 * BATCHES;

    private final Arena arena;
    private final ClaimMeter meter;
    private final Station station;

    StalePlans(Arena arena, ClaimMeter meter, Station station) {
        this.arena = arena;
        this.meter = meter;
        this.station = station;
    }

    /** Loading one batch. */
    record Finding(Cost stale, Cost known) {

        double bufferRatio() {
            return stale.buffers() / known.buffers();
        }

        double timeRatio() {
            return stale.millis() / known.millis();
        }
    }

    Finding finding(long seed) {
        System.out.println("Loading with plans of the first day");
        arena.empty(Station.tables());
        Feed feed = new Feed(new SplittableRandom(seed), 0, 1, false);
        for (int i = 0; i < SMALL_BATCHES; i++) {
            station.store(feed.next(Station.INTAKE));
            station.work();
        }
        for (int i = 0; i < STORED; i++) {
            station.store(feed.next(Station.INTAKE));
        }
        Cost stale = loads();
        arena.vacuum(Station.tables());
        Finding finding = new Finding(stale, loads());
        while (station.work().messages() > 0) {
            // until nothing is left
        }
        if (arena.ask(station.leftOver()) != 0) {
            throw new WrongEffectsException("Something was left over");
        }
        return finding;
    }

    private Cost loads() {
        Cost before = meter.loads();
        for (int i = 0; i < BATCHES; i++) {
            station.work();
        }
        return meter.loads().since(before).each();
    }
}
