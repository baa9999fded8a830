// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.id;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Campaign;
import io.idembox.admin.ReplayRange;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** What is said about messages that a replay brought back, and about those behind them. */
class ReplayExplainDbTest extends ReplayTest {

    private static final String RUNS = "replay rebuild, which is RUNNING and has not released it yet.";
    private static final String STANDS = "replay rebuild, which is STOPPED and has not released it yet.";
    private static final String ACT = "It waits until an operator resumes that replay, or cancels it";

    private String explain(String id) {
        return bench.admin.explain(CONSUMER, id(id)).toString();
    }

    @Test
    void oneThatAReplayHasNotComeToAndOneBehindIt() {
        store("1/a", "2/a");
        workUntilIdle();
        start("rebuild");
        store("3/a");

        assertThat(explain("1"))
                .contains("is WAITING (REPLAY)", "It belongs to " + RUNS)
                .contains("The replay releases its messages in the order of arrival. No action is needed.")
                .doesNotContain("it is released next");
        assertThat(explain("3"))
                .contains("It waits for /orders/1 of the same key, which is WAITING.")
                .contains("That message belongs to " + RUNS)
                .contains("When that message is finished, this one is released. No action is needed.");
    }

    @Test
    void oneWhoseReplayStandsAndOneBehindIt() {
        store("1/a", "2/b");
        workUntilIdle();
        failing.add("1");
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES.canary(1), operation("rebuild"));
        replays().start("rebuild", operation("start"), ReplayTest::empty);
        store("3/b");
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(advanceWhileItMoves("rebuild").state()).isEqualTo(Campaign.State.STOPPED);

        assertThat(explain("2"))
                .contains("It belongs to " + STANDS)
                .contains(ACT + "; a cancelled replay settles it as it was before.")
                .doesNotContain("it is released next");
        assertThat(explain("3"))
                .contains("It waits for /orders/2 of the same key, which is WAITING.")
                .contains("That message belongs to " + STANDS)
                .contains(ACT + ".");
        assertThat(explain("1")).contains("is FAILED_TERMINAL").doesNotContain("belongs to");
    }

    /** Whoever set it aside is the one who has to act, and not the replay. */
    @Test
    void oneThatSomebodyParkedBeforeItsReplayCameToItAndOneBehindIt() {
        store("1/a");
        workUntilIdle();
        start("rebuild");
        store("2/a");
        bench.admin.park(bench.select("1"), operation("look at it"));

        assertThat(explain("1")).contains("An operator parked it.").doesNotContain("belongs to");
        assertThat(explain("2"))
                .contains("It waits for /orders/1 of the same key, which is PARKED.")
                .contains("It waits until an operator redrives or discards that message")
                .doesNotContain("belongs to");
    }

    @Test
    void oneWithoutAnOrder() {
        begin(PROJECTION.ordering(Ordering.NONE));
        store("1/a");
        workUntilIdle();
        start("rebuild");

        assertThat(explain("1")).contains("It belongs to " + RUNS).doesNotContain("it is released next");
    }

    /** A replay waits for nothing that is missing, and has no gaps that time out. */
    @Test
    void oneWithAPlaceInASequence() throws SQLException {
        begin(PROJECTION.sequence(SequencePolicy.by(SequenceNumber.header("place"))));
        bench.node.store(placed("5", "a", 5), placed("6", "a", 6));
        workUntilIdle();
        start("rebuild");

        assertThat(explain("6")).contains("It belongs to " + RUNS).doesNotContain("not been received yet", "gap");
        try (Connection other = database.dataSource().getConnection();
                PreparedStatement lock = other.prepareStatement("select 1 from idembox_key for update")) {
            other.setAutoCommit(false);
            lock.execute();
            bench.admin.campaigns().advance("rebuild");
            other.rollback();
        }
        assertThat(explain("5"))
                .contains("No message of its key is ahead of it any more: it is released next.")
                .doesNotContain("not been received yet", "gap", "brought back");
        assertThat(explain("6")).contains("It waits for /orders/5 of the same key, which is WAITING.", "explain it");
    }

    @Test
    void oneWhoseReplayIsGone() {
        store("1/a");
        workUntilIdle();
        start("rebuild");
        store("2/a");
        database.run("delete from idembox_campaign");

        assertThat(explain("1"))
                .contains("It belongs to a replay whose campaign was deleted: nothing releases it any more.")
                .contains("Start another replay whose range includes it, or discard it.");
        assertThat(explain("2"))
                .contains("That message belongs to a replay whose campaign was deleted: nothing releases it any more.")
                .contains("Start another replay whose range includes it, or discard it.");
    }
}
