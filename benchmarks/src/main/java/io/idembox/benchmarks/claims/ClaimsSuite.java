// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Limit;
import io.idembox.benchmarks.rig.Options;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Rig;
import io.idembox.benchmarks.rig.Slice;
import io.idembox.benchmarks.rig.Suite;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.stored.EndToEnd;
import io.idembox.benchmarks.stored.Station;
import io.idembox.benchmarks.stored.Style;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Whether claiming stays cheap: with a long history, in a crowd of entries, under an old snapshot, with old plans. */
public final class ClaimsSuite implements Suite {

    private static final int CROWD = 1_000_000;
    private static final int QUICK_CROWD = 100_000;
    private static final int DRAINED = 60_000;
    private static final int QUICK_DRAINED = 30_000;
    private static final int PROFILED = 20_000;

    /** A worker, who claims, and two who keep house. */
    private static final int CONNECTIONS = 4;

    @Override
    public String name() {
        return "claims";
    }

    @Override
    public String purpose() {
        return "what a claim touches, whatever else is in the tables";
    }

    /**
     * Everything that was found.
     *
     * @param spent what the statements of messages from end to end cost
     * @param profiled how many messages these were
     */
    record Findings(
            List<Crowd.Finding> crowds,
            List<OldSnapshot.Finding> drains,
            StalePlans.Finding plans,
            List<ClaimMeter.Spent> spent,
            long profiled) {}

    @Override
    public Outcome run(Options options) throws SQLException {
        try (Arena arena = Arena.open(CONNECTIONS, Map.of("shared_preload_libraries", ClaimMeter.LIBRARY));
                Rig rig = new Rig(arena, options)) {
            Surroundings surroundings = new Surroundings(arena, options);
            Accounts.create(arena);
            ClaimMeter meter = new ClaimMeter(arena);
            Station station = new Station(arena, "claims", 100, Style.LATER.jobs());
            OldSnapshot snapshot = new OldSnapshot(arena, meter, station, options.quick() ? QUICK_DRAINED : DRAINED);
            List<OldSnapshot.Finding> drains =
                    List.of(snapshot.drain(false, options.seed()), snapshot.drain(true, options.seed() + 1));
            List<Crowd.Finding> crowds =
                    new Crowd(arena, meter, station, options.quick() ? QUICK_CROWD : CROWD).findings();

            StalePlans.Finding plans = new StalePlans(arena, meter, station).finding(options.seed());

            arena.empty(Station.tables());
            EndToEnd endToEnd = new EndToEnd(arena);
            rig.slice(endToEnd, 1, Limit.messages(PROFILED / 10));
            meter.reset();
            Slice profiled = rig.slice(endToEnd, 1, Limit.messages(PROFILED));
            Findings findings = new Findings(
                    crowds, drains, plans, meter.statements(), profiled.tally().messages());
            return new ClaimsReport(findings).outcome(surroundings);
        }
    }
}
