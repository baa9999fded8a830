// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.policy.Ordering;

/** Stores and does nothing else: how fast the broker may forget. The effect that is checked is the entry. */
public final class Ingest implements Strategy {

    private final Ordering ordering;
    private final Station station;

    public Ingest(Arena arena, Ordering ordering) {
        this.ordering = ordering;
        this.station = new Station(arena, name(), Station.INTAKE, Style.LATER.jobs(), ordering);
    }

    @Override
    public String name() {
        return Station.named("ingest " + Station.INTAKE, ordering);
    }

    @Override
    public int batchSize() {
        return Station.INTAKE;
    }

    @Override
    public String effects() {
        return station.waiting();
    }

    @Override
    public Tally consume(Feed feed) {
        long repeatedBefore = feed.repeated();
        Tally answered = station.store(feed.next(Station.INTAKE));
        // A redelivery of what nobody has worked on is answered like the first: STORED. The entries tell them apart.
        long repeated = feed.repeated() - repeatedBefore;
        return new Tally(answered.completed() - repeated, repeated, answered.errors());
    }
}
