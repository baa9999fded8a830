// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import io.idembox.policy.Ordering;

/** Claims, handles and settles what was stored before the clock started, until nothing is left. */
public final class Drain implements Strategy {

    private final Station station;
    private final Style style;
    private final int batchSize;
    private final int stock;
    private final Ordering ordering;

    /** @param stock how many messages are worked off in a slice */
    Drain(Arena arena, Style style, int batchSize, int stock) {
        this(arena, style, batchSize, stock, Ordering.NONE);
    }

    /** The same, and what its consumer keeps in order. */
    public Drain(Arena arena, Style style, int batchSize, int stock, Ordering ordering) {
        this.style = style;
        this.batchSize = batchSize;
        this.stock = stock;
        this.ordering = ordering;
        this.station = new Station(arena, name(), batchSize, style.jobs(), ordering);
    }

    @Override
    public String name() {
        return Station.named("drain " + batchSize + ", " + style.words(), ordering);
    }

    @Override
    public int batchSize() {
        return batchSize;
    }

    @Override
    public String effects() {
        return Accounts.EFFECTS;
    }

    @Override
    public void prepare(Feed messages) {
        for (int stored = 0; stored < stock; stored += Station.INTAKE) {
            station.store(messages.next(Station.INTAKE));
        }
    }

    @Override
    public boolean worksOff() {
        return true;
    }

    @Override
    public Tally consume(Feed nothing) {
        return station.work();
    }

    @Override
    public String leftOver() {
        return station.leftOver();
    }
}
