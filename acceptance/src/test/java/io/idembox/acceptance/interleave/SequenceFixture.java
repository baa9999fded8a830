// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.admin.Command;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.time.Duration;

/** Keys with sequence numbers, stored and direct: one key that was never seen, one that has begun, one with a gap. */
final class SequenceFixture {

    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .recording(Recording.FULL)
            .ordering(Ordering.HOLD)
            .replay(Replay.NO_EFFECTS)
            .retry(StoredFixture.TWICE)
            .sequence(SequencePolicy.by(SequenceNumber.header(Fixture.NUMBER)).parkGapsAfter(Duration.ofSeconds(15)));

    private SequenceFixture() {}

    static Fixture stored() {
        return fixture(Fixture.stored("sequence", POLICY.mode(Mode.STORED)));
    }

    static Fixture direct() {
        return fixture(Fixture.direct("direct-sequence", POLICY));
    }

    /**
     * Key k: never seen, a5 to a7 are new. Key j: b1 is done, b2 to b4 are new. Key g: g1 is done, g2 is missing and g3 has waited
     * for it for longer than the limit. Key h: p1 is parked, h2 waits.
     */
    private static Fixture fixture(Fixture fixture) {
        return fixture.message("o1", "o", 1)
                .message("b1", "j", 1)
                .message("g1", "g", 1)
                .message("g2", "g", 2)
                .message("g3", "g", 3)
                .message("p1", "h", 1)
                .message("h2", "h", 2)
                .message("a5", "k", 5)
                .message("a6", "k", 6)
                .message("a7", "k", 7)
                .message("b2", "j", 2)
                .message("b3", "j", 3)
                .message("b4", "j", 4)
                .forgettable("o1")
                .setup(world -> {
                    Node node = world.node();
                    world.deliver(node, "o1");
                    node.work();
                    world.makeOld();
                    world.deliver(node, "b1", "g1", "g3", "p1", "h2");
                    // In direct mode h2 is held behind p1 in its batch; when it comes again it is stored behind it.
                    world.deliver(node, "h2");
                    node.work();
                    world.look(node, "p1");
                    world.expireLeases();
                })
                .task(
                        Tasks.deliver("first", "a5"),
                        Tasks.deliver("first-batch", "a5", "a6"),
                        Tasks.deliver("first-long-batch", "a5", "a6", "a7"),
                        Tasks.deliver("next", "b2"),
                        Tasks.deliver("early", "b3"),
                        Tasks.deliver("swapped", "b3", "b2"),
                        Tasks.deliver("behind", "b2", "b3", "b4"),
                        Tasks.deliver("fill-gap", "g2"),
                        Tasks.work(),
                        Tasks.gaps(),
                        Tasks.command(Command.REDRIVE, "p1"),
                        Tasks.replay(),
                        Tasks.purge(),
                        Tasks.purgeKeys(),
                        Tasks.createIndex("ledger"))
                .triple("first", "first-batch", "first-long-batch")
                .triple("next", "swapped", "early")
                .triple("early", "next", "work")
                .triple("next", "behind", "early")
                .triple("gaps", "fill-gap", "work")
                .triple("first", "first-batch", "replay")
                .triple("create-index-ledger", "first-batch", "first")
                .triple("next", "early", "replay");
    }
}
