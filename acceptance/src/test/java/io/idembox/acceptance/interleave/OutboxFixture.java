// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Handlers and the application send to one key, a relay publishes. */
final class OutboxFixture {

    private static final ConsumerPolicy POLICY =
            ConsumerPolicy.defaults().retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO));

    private OutboxFixture() {}

    /** What e0 sends waits to be published, behind an expired lease of a relay that is gone; e1 and e2 are new. */
    static Fixture fixture() {
        return Fixture.direct("outbox", POLICY)
                .sending()
                .message("e0", "")
                .message("e1", "")
                .message("e2", "")
                .setup(world -> {
                    Node node = world.node();
                    world.deliver(node, "e0");
                    node.outgoing().claim();
                    world.expireLeases();
                })
                .task(
                        Tasks.deliver("deliver", "e1"),
                        Tasks.deliver("deliver-batch", "e1", "e2"),
                        Tasks.deliver("redeliver", "e0", "e1"),
                        Task.of("send", (world, node) -> send(node, world.unique("w"), true)),
                        Task.of("send-rolled-back", (world, node) -> send(node, world.unique("r"), false)),
                        Task.of("relay", (world, node) -> node.outgoing().publishOnce()),
                        Task.of("relay-claim", (world, node) -> node.outgoing().claim()),
                        Task.of("relay-reap", (world, node) -> node.outgoing().reap()),
                        Task.of("relay-overtake", (world, node) -> {
                            world.expireLeases();
                            node.outgoing().reap();
                            node.outgoing().publishOnce();
                        }),
                        Task.of(
                                        "relay-stragglers",
                                        (world, node) -> node.outgoing().sweepStragglers())
                                .givingUp(),
                        Tasks.purgeKeys(),
                        Tasks.createIndex("entry"))
                .triple("deliver", "send", "relay")
                .triple("send", "deliver-batch", "relay")
                .triple("relay-reap", "relay", "send");
    }

    /** A business write and what is sent for it, in a transaction of the application. */
    private static void send(Node node, String cause, boolean commits) throws SQLException {
        try (Connection connection = node.connect()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("insert into effect (id) values (?)")) {
                insert.setString(1, cause);
                insert.executeUpdate();
                node.outgoing().send(connection, cause);
                if (commits) {
                    connection.commit();
                }
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }
}
