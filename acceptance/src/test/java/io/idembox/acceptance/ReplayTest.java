// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Replays;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** A consumer that writes a table, and somebody who has it written anew. On PostgreSQL, which alone can. */
abstract class ReplayTest extends DatabaseTest {

    static final ConsumerPolicy PROJECTION = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .recording(Recording.FULL)
            .ordering(Ordering.HOLD)
            .replay(Replay.NO_EFFECTS)
            .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));
    static final CampaignOptions AS_IT_COMES = CampaignOptions.defaults();

    final ManualClock clock = ManualClock.create();
    final List<String> handled = new ArrayList<>();
    final List<String> failing = new ArrayList<>();
    AdminBench bench;

    @BeforeEach
    void begin() {
        assumeTrue(isPostgres(), "a replay needs PostgreSQL");
        begin(PROJECTION);
    }

    void begin(ConsumerPolicy policy) {
        bench = new AdminBench(database, clock, policy, this::project);
    }

    /** What each key has seen, in order: a wrong order makes another text. */
    void project(HandlerContext context) throws SQLException {
        if (failing.contains(context.id().id())) {
            throw new IllegalStateException("not today");
        }
        handled.add(context.id().id() + (context.isReplay() ? " again" : ""));
        try (PreparedStatement write =
                context.connection().prepareStatement("update effect set note = note || ? where id = ?")) {
            write.setString(1, " " + context.id().id());
            write.setString(2, context.message().key().orElse("-"));
            if (write.executeUpdate() == 0) {
                effectOf(context);
            }
        }
    }

    static void effectOf(HandlerContext context) throws SQLException {
        try (PreparedStatement insert =
                context.connection().prepareStatement("insert into effect (id, note) values (?, ?)")) {
            insert.setString(1, context.message().key().orElse("-"));
            insert.setString(2, context.id().id());
            insert.executeUpdate();
        }
    }

    static Message message(String id, String key) {
        return message(id).keyed(key);
    }

    static Message placed(String id, String key, int sequenceNumber) {
        return message(id, key).header("place", Integer.toString(sequenceNumber));
    }

    void store(String... idsAndKeys) {
        for (String each : idsAndKeys) {
            String[] parts = each.split("/", -1);
            bench.node.store(message(parts[0], parts[1]));
        }
    }

    void workUntilIdle() {
        while (!bench.node.work().isEmpty()) {
            // what there is
        }
    }

    List<String> projection() {
        return database.list("select id || ': ' || note from effect order by id");
    }

    Replays replays() {
        return bench.admin.replays();
    }

    static void empty(Connection connection) throws SQLException {
        try (PreparedStatement truncate = connection.prepareStatement("truncate table effect")) {
            truncate.execute();
        }
    }

    void start(String id) {
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation(id));
        assertThat(replays()
                        .start(id, operation("start " + id), ReplayTest::empty)
                        .state())
                .isEqualTo(Campaign.State.RUNNING);
    }

    Campaign advanceWhileItMoves(String id) {
        Campaign before;
        Campaign after = bench.admin.campaigns().find(id).orElseThrow();
        do {
            before = after;
            after = bench.admin.campaigns().advance(id);
        } while (!after.equals(before));
        return after;
    }

    Campaign replay(String id) {
        start(id);
        advanceWhileItMoves(id);
        workUntilIdle();
        return advanceWhileItMoves(id);
    }
}
