// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whoever goes on with a replay, or gives it up, waits for nobody for as long as that one likes: nodes go on with it in the one
 * thread that looks after gaps, stragglers and retention as well.
 */
class ReplayWaitsDbTest extends ReplayTest {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);
    private static final String KEY = "select 1 from idembox_key where name = 'a' for update";
    private static final String HELD = "select 1 from idembox_entry where owner = 'REPLAY' for update";
    private static final String CAMPAIGN = "select 1 from idembox_campaign for update";

    @BeforeEach
    void started() {
        store("1/a", "2/b");
        workUntilIdle();
        start("rebuild");
    }

    /** Somebody has rows locked, and ends when the work is over. */
    private void whileSomebodyHas(String rows, Runnable work) throws SQLException {
        ExecutorService backroom = Executors.newSingleThreadExecutor();
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement lock = connection.prepareStatement(rows)) {
            connection.setAutoCommit(false);
            lock.execute();
            try {
                assertThat(backroom.submit(work)).succeedsWithin(LONG_ENOUGH);
            } finally {
                connection.rollback();
            }
        } finally {
            backroom.shutdownNow();
        }
    }

    private Campaign advance() {
        return bench.admin.campaigns().advance("rebuild");
    }

    private Campaign cancel() {
        return bench.admin.campaigns().cancel("rebuild", operation("enough"));
    }

    private void nothingIsDone(Runnable work) {
        assertThatThrownBy(work::run).isInstanceOf(StoreUnavailableException.class);
        assertThat(bench.admin
                        .campaigns()
                        .find("rebuild")
                        .orElseThrow()
                        .progress()
                        .given())
                .isZero();
        assertThat(database.list("select owner from idembox_entry")).containsExactly("REPLAY", "REPLAY");
    }

    private void isDoneLater() {
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(advanceWhileItMoves("rebuild").state()).isEqualTo(Campaign.State.DONE);
        assertThat(projection()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void aStepLeavesAKeyThatSomebodyHasToThoseWhoLookForStragglers() throws SQLException {
        whileSomebodyHas(KEY, () -> {
            assertThat(advance().progress().given()).isEqualTo(2);
            workUntilIdle();
            assertThat(projection()).containsExactly("b: 2");
        });

        bench.node.gaps().letStragglersPass(0);

        isDoneLater();
    }

    @Test
    void aStepIsDoneNextTimeWhenSomebodyHasItsMessages() throws SQLException {
        whileSomebodyHas(HELD, () -> nothingIsDone(this::advance));

        isDoneLater();
    }

    @Test
    void aStepIsDoneNextTimeWhenSomebodyHasTheCampaign() throws SQLException {
        whileSomebodyHas(CAMPAIGN, () -> nothingIsDone(this::advance));

        isDoneLater();
    }

    @Test
    void whoCancelsLeavesAKeyThatSomebodyHasToThoseWhoLookForStragglers() throws SQLException {
        store("3/a");

        whileSomebodyHas(KEY, () -> assertThat(cancel().state()).isEqualTo(Campaign.State.CANCELLED));

        bench.node.gaps().letStragglersPass(0);
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 3");
    }

    @Test
    @Tag("slow")
    void whoCancelsIsToldToCallAgainWhenSomebodyHasItsMessages() throws SQLException {
        whileSomebodyHas(HELD, () -> nothingIsDone(this::cancel));

        assertThat(cancel().state()).isEqualTo(Campaign.State.CANCELLED);
        assertThat(database.count("idembox_entry")).isZero();
    }
}
