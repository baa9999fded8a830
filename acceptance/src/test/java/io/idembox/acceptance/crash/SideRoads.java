// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandleResult;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.audit.AuditReport;
import io.idembox.idempotent.CompareAndSet;
import io.idembox.idempotent.UpsertByVersion;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.FaultyDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Calls that no crash path makes, so that every call site is at least reached: full recording, a renamed consumer, a
 * transaction of the caller's, a handler that defeats the guard, people who look around, rows of the application that are
 * written twice, and forgetting what is finished.
 */
final class SideRoads {

    private SideRoads() {}

    /** The call sites that were reached. */
    static Set<String> travel(World world) {
        FaultyDataSource recorded = FaultyDataSource.around(world.dataSource());
        try (Inbox inbox = Inbox.on(recorded)
                .consumer("full", ConsumerPolicy.defaults().recording(Recording.FULL))
                .consumerAlias("renamed", "first-name")
                .start()) {
            recorded.record();
            Message message = Message.of("side", "OrderPlaced", "{}").from("/side-roads");
            inbox.handle("full", message, context -> context.result("{}"));
            inbox.handle("renamed", message, context -> {});
            joined(world, inbox, message);
            ask(inbox, message);
            inbox.handle("torn", message, context -> {
                Connection raw = world.database() == Database.POSTGRESQL
                        ? context.connection().unwrap(org.postgresql.jdbc.PgConnection.class)
                        : context.connection().unwrap(org.h2.jdbc.JdbcConnection.class);
                raw.commit();
            });
        }
        writeTwice(recorded);
        OtherLanes.travel(world, recorded);
        forget(world, recorded);
        Set<String> sites = new HashSet<>();
        recorded.steps().forEach(step -> sites.add(CrashPoints.siteOf(step)));
        return sites;
    }

    private static void writeTwice(FaultyDataSource recorded) {
        try (Connection connection = recorded.getConnection()) {
            connection.setAutoCommit(false);
            writeTwice(connection);
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    private static void writeTwice(Connection connection) throws SQLException {
        for (boolean first : List.of(true, false)) {
            boolean applied = UpsertByVersion.into("taken")
                    .key("id", -1)
                    .version("version", 1)
                    .applyIn(connection);
            boolean changed = CompareAndSet.in("taken")
                    .key("id", -1)
                    .expect("version", 1)
                    .set("version", first ? 2 : 1)
                    .applyIn(connection);
            if (applied != first || changed != first) {
                throw new IllegalStateException("Written twice: " + applied + " " + changed);
            }
        }
    }

    /** Everything that people may ask, and commands that no path gives. */
    private static void ask(Inbox inbox, Message message) {
        InboxAdmin admin = inbox.admin();
        inbox.store("asked", message);
        admin.park(admin.preview(Filter.of("asked"), 10).refs(), new Operation("park", "anna", "to see"));
        admin.discard(admin.preview(Filter.of("asked"), 10).refs(), new Operation("discard", "anna", "to see"));
        Filter discarded = Filter.of("asked").status(Status.DISCARDED).id(new MessageId("/side-roads", "side"));
        Operation lunch = new Operation("pause", "anna", "to see");
        if (!admin.pause("asked", lunch)
                || admin.paused("asked").isEmpty()
                || !admin.resume("asked", new Operation("resume", "anna", "seen"))) {
            throw new IllegalStateException("Nobody stood still");
        }
        Report report = admin.restore(admin.preview(discarded, 10).refs(), new Operation("restore", "anna", "to see"));
        if (report.done() != 1
                || !admin.consumers().contains("asked")
                || admin.explain("asked", new MessageId("/side-roads", "side"))
                        .sentences()
                        .isEmpty()) {
            throw new IllegalStateException("Asked: " + report);
        }
        AuditReport audit = inbox.audit().verify(List.of(), List.of());
        if (!audit.isIntact()) {
            throw new IllegalStateException("The trail: " + audit.findings());
        }
        admin.discard(admin.preview(Filter.of("asked"), 10).refs(), new Operation("for good", "anna", "to see"));
    }

    /** Everything that is finished or discarded is forgotten. */
    private static void forget(World world, FaultyDataSource recorded) {
        JdbcInboxStore store = new JdbcInboxStore(
                recorded,
                world.database(),
                new TableNames(world.schema(), "idembox_"),
                new StoreSettings(
                        Duration.ofMillis(40), "node", ManualClock.at(Instant.parse("2100-01-01T00:00:00Z"))));
        for (String consumer : List.of("full", "asked")) {
            int forgotten = store.retention()
                    .purge(store.consumer(consumer, ConsumerPolicy.defaults()), Duration.ofDays(1), 10)
                    .count();
            if (forgotten != 1) {
                throw new IllegalStateException("Forgotten: " + forgotten);
            }
        }
    }

    private static void joined(World world, Inbox inbox, Message message) {
        try (Connection connection = world.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            List<HandleResult> seen = List.of(
                    inbox.handle(connection, "joined", message, context -> {}),
                    inbox.handle(connection, "joined", message.payload(Payload.json("[]")), context -> {}));
            connection.rollback();
            connection.setAutoCommit(true);
            if (!seen.equals(List.of(HandleResult.FIRST_TIME, HandleResult.CONFLICT))) {
                throw new IllegalStateException("Joined: " + seen);
            }
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }
}
