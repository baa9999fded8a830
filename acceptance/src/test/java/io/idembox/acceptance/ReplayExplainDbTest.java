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

    private static final String RUNS = "replay rebuild, which is RUNNING and has not come to it yet.";
    private static final String STANDS = "replay rebuild, which is STOPPED and has not come to it yet.";
    private static final String ACT = "somebody resumes that replay, or cancels it";

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
                .contains("is WAITING (REPLAY)", "It is brought back by " + RUNS)
                .contains("It is let go in the order of arrival. Nothing has to be done.")
                .doesNotContain("it is let go next");
        assertThat(explain("3"))
                .contains("It waits for /orders/1 of the same key, which is WAITING.")
                .contains("That one is brought back by " + RUNS)
                .contains("When that one is through, this one is let go. Nothing has to be done.");
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
                .contains("It is brought back by " + STANDS)
                .contains("Nothing happens to it until " + ACT + ": then it is settled as it was before.")
                .doesNotContain("it is let go next");
        assertThat(explain("3"))
                .contains("It waits for /orders/2 of the same key, which is WAITING.")
                .contains("That one is brought back by " + STANDS)
                .contains("Nothing happens until " + ACT + ".");
        assertThat(explain("1")).contains("is FAILED_TERMINAL").doesNotContain("brought back");
    }

    /** Whoever set it aside is the one who has to act, and not the replay. */
    @Test
    void oneThatSomebodyParkedBeforeItsReplayCameToItAndOneBehindIt() {
        store("1/a");
        workUntilIdle();
        start("rebuild");
        store("2/a");
        bench.admin.park(bench.select("1"), operation("look at it"));

        assertThat(explain("1")).contains("Somebody set it aside.").doesNotContain("brought back");
        assertThat(explain("2"))
                .contains("It waits for /orders/1 of the same key, which is PARKED.")
                .contains("Nothing happens until somebody redrives or discards that one")
                .doesNotContain("brought back");
    }

    @Test
    void oneWithoutAnOrder() {
        begin(PROJECTION.ordering(Ordering.NONE));
        store("1/a");
        workUntilIdle();
        start("rebuild");

        assertThat(explain("1")).contains("It is brought back by " + RUNS).doesNotContain("it is let go next");
    }

    /** A replay waits for nothing that is missing, and has no gaps that time out. */
    @Test
    void oneWithAPlaceInASequence() throws SQLException {
        begin(PROJECTION.sequence(SequencePolicy.by(SequenceNumber.header("place"))));
        bench.node.store(placed("5", "a", 5), placed("6", "a", 6));
        workUntilIdle();
        start("rebuild");

        assertThat(explain("6")).contains("It is brought back by " + RUNS).doesNotContain("not come yet", "gap");
        try (Connection other = database.dataSource().getConnection();
                PreparedStatement lock = other.prepareStatement("select 1 from idembox_key for update")) {
            other.setAutoCommit(false);
            lock.execute();
            bench.admin.campaigns().advance("rebuild");
            other.rollback();
        }
        assertThat(explain("5"))
                .contains("Nobody is in front of it any more: it is let go next.")
                .doesNotContain("not come yet", "gap", "brought back");
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
                .contains("It is brought back by a replay that is gone: nobody lets it go any more.")
                .contains("Begin another replay that takes it in, or discard it.");
        assertThat(explain("2"))
                .contains("That one is brought back by a replay that is gone: nobody lets it go any more.")
                .contains("Begin another replay that takes it in, or discard it.");
    }
}
