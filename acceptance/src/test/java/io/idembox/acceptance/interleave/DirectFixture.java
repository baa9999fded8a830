// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.admin.Command;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;

/** Direct mode, with and without order by key. */
final class DirectFixture {

    private static final ConsumerPolicy IN_ORDER = ConsumerPolicy.defaults()
            .recording(Recording.FULL)
            .ordering(Ordering.HOLD)
            .replay(Replay.NO_EFFECTS)
            .retry(StoredFixture.TWICE);

    private static final ConsumerPolicy IN_ANY_ORDER =
            ConsumerPolicy.defaults().retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO));

    private DirectFixture() {}

    /** Key k: m1 is done, m2, m3 and m4 are new. Key j: p1 is parked, n2 waits, n3 is new. Without a key: o1 is old, c1 is new. */
    static Fixture inOrder() {
        return Fixture.direct("direct", IN_ORDER)
                .message("o1", "")
                .message("m1", "k")
                .message("p1", "j")
                .message("n2", "j")
                .message("c1", "")
                .message("m2", "k")
                .message("m3", "k")
                .message("f4", "k")
                .message("n3", "j")
                .forgettable("o1")
                .replayedInTheEnd()
                .setup(world -> {
                    Node node = world.node();
                    world.deliver(node, "o1");
                    world.makeOld();
                    world.deliver(node, "m1", "p1", "n2");
                    // Held behind p1 in its batch; when it comes again it is stored behind it.
                    world.deliver(node, "n2");
                    world.look(node, "p1");
                })
                .task(
                        Tasks.deliver("deliver", "m2"),
                        Tasks.deliver("deliver-x", "c1"),
                        Tasks.deliver("deliver-batch", "c1", "m2", "m3"),
                        Tasks.deliver("deliver-failing", "m2", "m3", "f4"),
                        Tasks.deliver("redeliver", "m1", "n2"),
                        Tasks.deliver("deliver-behind-parked", "n3"),
                        Tasks.work(),
                        Tasks.command(Command.REDRIVE, "p1"),
                        Tasks.replay(),
                        Tasks.purge(),
                        Tasks.purgeKeys(),
                        Tasks.createIndex("ledger"))
                .triple("deliver-x", "deliver-batch", "deliver")
                .triple("deliver-x", "deliver-batch", "deliver-failing")
                .triple("deliver", "deliver-batch", "replay")
                .triple("replay", "deliver", "deliver-batch")
                .triple("redrive", "deliver-behind-parked", "work")
                .triple("deliver-failing", "work", "deliver-batch")
                .triple("purge-keys", "deliver", "deliver-batch");
    }

    /** f2 fails once and is delivered again, a0 is done. */
    static Fixture inAnyOrder() {
        return Fixture.direct("direct-unordered", IN_ANY_ORDER)
                .message("o1", "")
                .message("a0", "")
                .message("a1", "")
                .message("b1", "")
                .message("c1", "")
                .message("f2", "")
                .forgettable("o1")
                .setup(world -> {
                    Node node = world.node();
                    world.deliver(node, "o1");
                    world.makeOld();
                    world.deliver(node, "a0", "f2");
                })
                .task(
                        Tasks.deliver("deliver", "a1"),
                        Tasks.deliver("deliver-batch", "a1", "b1", "c1"),
                        Tasks.deliver("deliver-reversed", "c1", "b1", "a1"),
                        Tasks.deliver("deliver-twins", "a1", "b1", "a1"),
                        Tasks.deliver("redeliver", "a0", "f2"),
                        Task.of("deliver-joined", DirectFixture::joined),
                        Tasks.purge(),
                        Tasks.createIndex("ledger"));
    }

    /** In a transaction of the application. */
    private static void joined(Case world, Node node) throws Exception {
        try (Connection connection = node.connect()) {
            connection.setAutoCommit(false);
            try {
                node.receiver().handleIn(connection, world.broker().send("b1").get(0), world::handle);
                connection.commit();
            } catch (Exception failed) {
                connection.rollback();
                throw failed;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }
}
