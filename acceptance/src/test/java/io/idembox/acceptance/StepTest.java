// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.HandlerContext;
import io.idembox.InboxHandler;
import io.idembox.Step;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node of stored mode whose handlers have steps. */
abstract class StepTest extends DatabaseTest {

    static final ConsumerPolicy STORED = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .retry(RetryPolicy.exponential(10, Duration.ZERO, Duration.ZERO));

    final ManualClock clock = ManualClock.create();
    final Seen seen = new Seen();
    final List<String> calls = new ArrayList<>();

    final Bench bench(InboxHandler handler) {
        return new Bench(database, "one", clock, seen, STORED, handler);
    }

    /** The effect of a step: a row in the step's own transaction. */
    static void effect(HandlerContext context, Step step) throws SQLException {
        try (PreparedStatement insert =
                step.connection().prepareStatement("insert into effect (id, note) values (?, ?)")) {
            insert.setString(1, context.id().id());
            insert.setString(2, step.name());
            insert.executeUpdate();
        }
    }

    final List<String> steps() {
        return database.list("select name from idembox_step order by arrival, name");
    }
}
