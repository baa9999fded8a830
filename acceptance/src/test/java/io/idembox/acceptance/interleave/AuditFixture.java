// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.admin.Command;

/** The first operations that are ever recorded. */
final class AuditFixture {

    private AuditFixture() {}

    /** Two messages wait to be worked on, and the trail is empty. */
    static Fixture fixture() {
        return Fixture.stored("audit", StoredFixture.POLICY)
                .message("n1", "")
                .message("n2", "")
                .setup(world -> {
                    Node node = world.node();
                    world.deliver(node, "n1", "n2");
                    world.look(node, "n1");
                })
                .task(
                        Tasks.verify(),
                        Tasks.command(Command.PARK, "n1"),
                        Tasks.edit("n1"),
                        Tasks.pause(),
                        Task.of(
                                "read-payload",
                                (world, node) -> node.admin()
                                        .payload(Node.CONSUMER, world.seen("n1").id(), Case.operation("read"))))
                .triple("park", "verify", "pause");
    }
}
