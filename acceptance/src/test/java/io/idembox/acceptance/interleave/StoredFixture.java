// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.admin.Command;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;

/** Stored mode with order by key: almost all that can happen, on a few messages. */
final class StoredFixture {

    static final RetryPolicy TWICE =
            RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX);

    static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .recording(Recording.FULL)
            .ordering(Ordering.HOLD)
            .replay(Replay.NO_EFFECTS)
            .retry(TWICE);

    private StoredFixture() {}

    /**
     * Key k: m1 is done, p2 is parked, m3 waits, m4 and m5 are new. Key j: n1 is due, n2 waits. Key i: idle, o2 is old, i3 is
     * new. Without a key: o1 is old, d1 discarded, t1 failed for good, f1 and s1 are due, c1 and q1 are new. A node that is gone
     * holds an expired lease on l1.
     */
    static Fixture fixture() {
        return Fixture.stored("stored", POLICY)
                .message("o1", "")
                .message("o2", "i")
                .message("m1", "k")
                .message("p2", "k")
                .message("m3", "k")
                .message("d1", "")
                .message("t1", "")
                .message("l1", "l")
                .message("n1", "j")
                .message("n2", "j")
                .message("f1", "")
                .message("s1", "")
                .message("c1", "")
                .message("m4", "k")
                .message("m5", "k")
                .message("i3", "i")
                .message("q1", "")
                .forgettable("o1", "o2")
                .setup(StoredFixture::setup)
                .task(
                        Tasks.deliver("store", "m4"),
                        Tasks.deliver("store-batch", "c1", "m4", "m5"),
                        Tasks.deliver("store-twins", "m4", "c1", "m4"),
                        Tasks.deliver("redeliver", "m1", "n1", "n2"),
                        Tasks.deliver("store-x", "c1"),
                        Tasks.deliver("store-idle-key", "i3", "q1"),
                        Tasks.work(),
                        Tasks.claim(),
                        Tasks.reap(),
                        Tasks.overtake(),
                        Tasks.command(Command.REDRIVE, "p2"),
                        Tasks.command(Command.PARK, "n1"),
                        Tasks.command(Command.DISCARD, "p2"),
                        Tasks.command(Command.RESTORE, "d1"),
                        Tasks.edit("p2"),
                        Tasks.pause(),
                        Tasks.replay(),
                        Tasks.campaign(),
                        Tasks.stragglers(),
                        Tasks.purge(),
                        Tasks.purgeKeys(),
                        Tasks.adopt("q1"),
                        Tasks.verify(),
                        Tasks.createIndex("ledger"),
                        Tasks.lockTable("entry"))
                .triple("store-x", "store-batch", "store")
                .triple("store", "store-batch", "work")
                .triple("work", "store", "redrive")
                .triple("redrive", "work", "store")
                .triple("redrive", "store", "work")
                .triple("park", "work", "redeliver")
                .triple("discard", "store", "work")
                .triple("replay", "store", "work")
                .triple("work", "replay", "store")
                .triple("claim", "reap", "work")
                .triple("edit", "redrive", "work")
                .triple("work", "overtake", "redeliver");
    }

    private static void setup(Case world) {
        Node node = world.node();
        world.deliver(node, "o1", "o2");
        node.work();
        world.makeOld();
        world.deliver(node, "d1");
        world.look(node, "d1");
        node.admin().discard(List.of(world.seen("d1")), Case.operation("discard"));
        world.look(node, "d1");
        world.deliver(node, "m1", "p2", "m3", "t1");
        node.work();
        world.deliver(node, "l1");
        node.claim();
        world.expireLeases();
        world.deliver(node, "n1", "n2", "f1", "s1");
        world.look(node, "p2");
        world.look(node, "n1");
    }
}
