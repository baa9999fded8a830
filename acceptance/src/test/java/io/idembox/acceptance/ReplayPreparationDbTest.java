// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.ReplayRange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What prepares a replay gets into the way of others, whose tables it shares. */
class ReplayPreparationDbTest extends ReplayTest {

    private static final Duration TOO_LONG = Duration.ofSeconds(30);

    private final ExecutorService somebodyElse = Executors.newSingleThreadExecutor();

    @BeforeEach
    void plan() {
        store("1/a", "2/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("rebuild"));
    }

    @AfterEach
    void leave() {
        somebodyElse.shutdownNow();
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    private void awaitSomebodyWhoWaits() {
        long end = System.nanoTime() + TOO_LONG.toNanos();
        while (database.one("select count(*) from pg_stat_activity"
                        + " where datname = current_database() and wait_event_type = 'Lock'")
                .equals("0")) {
            assertThat(System.nanoTime()).as("somebody waits").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private void assertReplayed() {
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(advanceWhileItMoves("rebuild").state()).isEqualTo(Campaign.State.DONE);
        assertThat(projection()).containsExactly("a: 1 2");
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void oneThatIsEndedForADeadlockIsRunAgain() throws Exception {
        database.run(
                "create table account (id int primary key, cents int)", "insert into account values (1, 0), (2, 0)");
        List<Future<?>> others = new ArrayList<>();
        try (Connection other = database.dataSource().getConnection()) {
            other.setAutoCommit(false);
            // The first to look for a deadlock is the one who is ended.
            run(other, "set local deadlock_timeout = '10min'");
            run(other, "update account set cents = cents + 1 where id = 2");

            replays().start("rebuild", operation("start"), connection -> {
                empty(connection);
                run(connection, "update account set cents = cents + 10 where id = 1");
                if (others.isEmpty()) {
                    others.add(somebodyElse.submit(() -> {
                        run(other, "update account set cents = cents + 1 where id = 1");
                        other.commit();
                        return true;
                    }));
                    awaitSomebodyWhoWaits();
                }
                run(connection, "update account set cents = cents + 10 where id = 2");
            });
            others.get(0).get(TOO_LONG.toSeconds(), TimeUnit.SECONDS);
        }

        assertThat(database.list("select cents from account order by id"))
                .as("the first time was undone")
                .containsExactly("11", "11");
        assertReplayed();
    }

    @Test
    @Tag("slow")
    void oneThatWaitsForATableIsGivenUpAndMayBeTriedAgain() throws Exception {
        try (Connection reader = database.dataSource().getConnection()) {
            reader.setAutoCommit(false);
            run(reader, "select 1 from effect");
            Future<Campaign> begun =
                    somebodyElse.submit(() -> replays().start("rebuild", operation("start"), ReplayTest::empty));

            assertThatThrownBy(() -> begun.get(TOO_LONG.toSeconds(), TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("the preparation of the replay needs a lock that another transaction holds.")
                    .hasMessageEndingWith("Nothing was changed. Call again with the same operation id.");
        }
        assertThat(bench.admin.campaigns().find("rebuild").orElseThrow().state())
                .isEqualTo(Campaign.State.PLANNED);
        assertThat(projection()).containsExactly("a: 1 2");
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.count("idembox_operation")).isZero();

        replays().start("rebuild", operation("start"), ReplayTest::empty);
        assertReplayed();
    }
}
