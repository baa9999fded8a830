// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;

/** Everything a stored message costs: every worker stores a batch, then claims, handles and settles one. */
public final class EndToEnd implements Strategy {

    private static final int BATCH = 100;

    private final Station station;

    public EndToEnd(Arena arena) {
        this.station = new Station(arena, name(), BATCH, Style.LATER.jobs());
    }

    @Override
    public String name() {
        return "end to end " + BATCH + ", later";
    }

    @Override
    public int batchSize() {
        return BATCH;
    }

    @Override
    public String effects() {
        return Accounts.EFFECTS;
    }

    @Override
    public Tally consume(Feed feed) {
        long repeatedBefore = feed.repeated();
        Tally stored = station.store(feed.next(Station.INTAKE));
        Tally worked = station.work();
        // Done or not yet done, a redelivery leads to no second effect; whether it did is seen in the effects.
        return new Tally(worked.completed(), feed.repeated() - repeatedBefore, stored.errors() + worked.errors());
    }

    @Override
    public Tally finish() {
        Tally all = Tally.NOTHING;
        Tally more = station.work();
        while (more.messages() > 0) {
            all = all.plus(more);
            more = station.work();
        }
        return all;
    }

    @Override
    public String leftOver() {
        return station.leftOver();
    }
}
