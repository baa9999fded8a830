// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.Payload;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Command;
import io.idembox.admin.DeadLetter;
import io.idembox.admin.Filter;
import io.idembox.admin.MessageRef;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.audit.AuditReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The operations that fixtures are made of. */
final class Tasks {

    /** Completed longer ago than this is purged; what {@link Case#makeOld} makes old is older, the rest is younger. */
    static final Duration RETENTION = Duration.ofSeconds(150);

    private Tasks() {}

    /** These in one call. */
    static Task deliver(String name, String... ids) {
        return Task.of(name, (world, node) -> world.deliver(node, ids)).givingUp();
    }

    /** Claims once and works on it. */
    static Task work() {
        return Task.of("work", (world, node) -> node.workOnce());
    }

    /** Claims, and is gone. */
    static Task claim() {
        return Task.of("claim", (world, node) -> node.claim());
    }

    static Task reap() {
        return Task.of("reap", (world, node) -> node.reap());
    }

    /** All leases expire, and another node takes over what was claimed. */
    static Task overtake() {
        return Task.of("overtake", (world, node) -> {
            world.expireLeases();
            node.reap();
            node.workOnce();
        });
    }

    static Task stragglers() {
        return Task.of("stragglers", (world, node) -> node.sweepStragglers()).givingUp();
    }

    static Task gaps() {
        return Task.of("gaps", (world, node) -> node.lookForGaps());
    }

    static Task purge() {
        return Task.of(
                "purge", (world, node) -> node.retention().purge(node.receiver().consumer(), RETENTION, 100));
    }

    static Task purgeKeys() {
        return Task.of("purge-keys", (world, node) -> node.retention().purgeKeys(0, 100));
    }

    /** An operator does something to a message as it was seen before the case began. */
    static Task command(Command command, String id) {
        String name = command.name().toLowerCase(Locale.ROOT);
        Task task = Task.of(name, (world, node) -> {
            List<MessageRef> seen = List.of(world.seen(id));
            Report report = switch (command) {
                case REDRIVE -> node.admin().redrive(seen, Case.operation(name));
                case PARK -> node.admin().park(seen, Case.operation(name));
                case DISCARD -> node.admin().discard(seen, Case.operation(name));
                case RESTORE -> node.admin().restore(seen, Case.operation(name));
                default -> throw new IllegalArgumentException("Not for messages: " + command);
            };
            world.commanded(id, report);
        });
        return command == Command.DISCARD || command == Command.RESTORE ? task.reordering() : task;
    }

    static Task edit(String id) {
        return Task.of("edit", (world, node) -> {
            Payload edited = Payload.json("{\"edited\":true}");
            world.commanded(id, node.admin().edit(world.seen(id), edited, Case.operation("edit")));
        });
    }

    static Task pause() {
        return Task.of("pause", (world, node) -> {
            node.admin().pause(Node.CONSUMER, Case.operation("pause"));
            node.admin().resume(Node.CONSUMER, Case.operation("resume"));
        });
    }

    /** Plans a replay of everything, and starts it: the effects are deleted in the same transaction. */
    static Task replay() {
        return Task.of("replay", (world, node) -> startReplay(world, node));
    }

    static void startReplay(Case world, Node node) {
        ReplayPlan plan = node.admin()
                .replays()
                .plan(ReplayRange.of(Node.CONSUMER), CampaignOptions.defaults(), Case.operation("replay"));
        world.replays();
        node.admin().replays().start(plan.id(), Case.operation("start"), connection -> {
            try (Statement delete = connection.createStatement()) {
                delete.execute("delete from effect");
            }
        });
    }

    /** Plans and starts a campaign that redrives what has failed for good. */
    static Task campaign() {
        return Task.of("campaign", (world, node) -> {
            Filter failed = Filter.of(Node.CONSUMER).status(Status.FAILED_TERMINAL, Status.PARKED);
            try {
                String id = node.admin()
                        .campaigns()
                        .plan(Command.REDRIVE, failed, CampaignOptions.defaults(), Case.operation("campaign"))
                        .id();
                node.admin().campaigns().start(id, Case.operation("start"));
                node.advanceCampaigns();
            } catch (IllegalArgumentException refused) {
                // Another operator was faster with all of them: that nothing is left is the right answer.
                if (!String.valueOf(refused.getMessage()).startsWith("No message matches")) {
                    throw refused;
                }
            }
        });
    }

    /** A dead letter of another system is taken over. */
    static Task adopt(String id) {
        return Task.of(
                        "adopt",
                        (world, node) -> node.admin()
                                .importDeadLetters(
                                        Node.CONSUMER,
                                        List.of(new DeadLetter(
                                                world.broker().send(id).get(0),
                                                "com.example.BankClosed",
                                                "the bank is closed",
                                                ""))))
                .givingUp();
    }

    static Task verify() {
        return Task.of("verify", (world, node) -> {
            AuditReport report = node.audit().verify(List.of(), List.of());
            if (!report.isIntact()) {
                world.complain("wrong answer: verify says of an intact trail " + report.findings());
            }
        });
    }

    /** A migration: an index on the table, not concurrently. */
    static Task createIndex(String table) {
        return Task.of(
                "create-index-" + table,
                (world, node) -> transaction(
                        node,
                        "create index extra_" + table + " on idembox_" + table + " (consumer_id)",
                        "drop index extra_" + table));
    }

    static Task lockTable(String table) {
        return Task.of(
                "lock-" + table,
                (world, node) -> transaction(node, "lock table idembox_" + table + " in access exclusive mode"));
    }

    private static void transaction(Node node, String... statements) throws SQLException {
        try (Connection connection = node.connect()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                for (String each : statements) {
                    statement.execute(each);
                }
                connection.commit();
            } catch (SQLException refused) {
                connection.rollback();
                throw refused;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }
}
