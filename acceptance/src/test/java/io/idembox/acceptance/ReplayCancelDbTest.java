// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.policy.Replay;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Everybody may give a replay up, whatever the policy says and whoever knows it. */
class ReplayCancelDbTest extends ReplayTest {

    /** An operator at a command line without the file of policies. */
    private InboxAdmin stranger() {
        return bench.admin(database, database.dataSource(), clock, Optional.empty());
    }

    @Test
    void whoDoesNotKnowThePolicyLeavesThoseBehindItToWhoDoes() {
        store("1/a", "2/a");
        workUntilIdle();
        start("rebuild");
        store("3/a");

        Campaign cancelled = stranger().campaigns().cancel("rebuild", operation("enough"));
        bench.node.gaps().letStragglersPass(0);
        workUntilIdle();

        assertThat(cancelled.state()).isEqualTo(Campaign.State.CANCELLED);
        assertThat(projection()).containsExactly("a: 3");
        assertThat(database.count("idembox_entry")).isZero();
    }

    /** That a place in front of it is missing is something that only the policy tells. */
    @Test
    void whoDoesNotKnowThePolicyLetsNobodyGoWhoseTurnItIsNot() {
        begin(PROJECTION.sequence(
                SequencePolicy.by(SequenceNumber.header("place")).startingAt(1)));
        bench.node.store(placed("1", "a", 1), placed("2", "a", 2));
        workUntilIdle();
        start("rebuild");
        bench.node.store(placed("4", "a", 4));

        stranger().campaigns().cancel("rebuild", operation("enough"));
        bench.node.gaps().letStragglersPass(0);
        workUntilIdle();
        assertThat(projection()).as("3 has not come").isEmpty();
        bench.node.store(placed("3", "a", 3));
        workUntilIdle();

        assertThat(projection()).containsExactly("a: 3 4");
    }

    @Test
    void oneThatWouldNotBeAllowedAnyMoreCanBeCancelled() {
        store("1/a");
        workUntilIdle();
        start("rebuild");
        store("2/a");
        begin(PROJECTION.replay(Replay.FORBIDDEN));

        Campaign cancelled = bench.admin.campaigns().cancel("rebuild", operation("enough"));
        workUntilIdle();

        assertThat(cancelled.state()).isEqualTo(Campaign.State.CANCELLED);
        assertThat(projection()).containsExactly("a: 2");
    }
}
