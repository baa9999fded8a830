// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.Lease;
import io.idembox.internal.jdbc.Database;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;

/** Paths of stored mode, one message at a time or many, whatever their keys. */
final class StoredPaths {

    private StoredPaths() {}

    static List<Path> all() {
        return List.of(
                stored(),
                again(),
                failing(),
                afterFailing(),
                reaped(),
                renewed(),
                unheard(),
                takingItsWorkerAlong(),
                released(),
                slow(),
                slowFailing(),
                beside());
    }

    /** Stored, acknowledged, worked on. */
    private static Path stored() {
        return Path.stored("stored", Path.messages(3));
    }

    /** Stored and worked on before. */
    private static Path again() {
        return Path.stored("stored-again", Path.messages(2)).before(story -> {
            story.deliverUnharmed(story.broker().sent());
            story.sendAgain();
        });
    }

    /** A message fails at its first try, beside its neighbour of the same key; another one never works. A fault may cost one try more. */
    private static Path failing() {
        return Path.stored(
                        "stored-failing",
                        id -> List.of(
                                Path.message(id, 1).keyed("k" + id),
                                Path.message(id, 2).keyed("k" + id),
                                Path.message(id, 3)))
                .policy(Path.DIRECT.retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO)))
                .work(story -> context -> {
                    Works.failingAtFirst("-1").apply(story).run(context);
                    if (Works.isFor(context, "-3")) {
                        throw new IllegalStateException("poison");
                    }
                })
                .ends("-3", End.FAILED);
    }

    /** A message that failed in direct mode is stored when it comes again. */
    private static Path afterFailing() {
        return Path.stored("stored-after-failing", Path.messages(1))
                .before(story -> story.soundNode()
                        .deliver(story.broker(), story.broker().unacknowledged(), context -> {
                            throw new IllegalStateException("in direct mode");
                        }));
    }

    /** Somebody claimed messages and is gone; the lease runs out and is taken away. */
    private static Path reaped() {
        return Path.stored("stored-reaped", Path.messages(3))
                .before(story -> {
                    Node gone = story.soundNode();
                    gone.store(story.broker(), story.broker().unacknowledged());
                    gone.claim();
                    story.passTime();
                })
                .act((story, node) -> {
                    node.reap();
                    node.work(story.work());
                });
    }

    /** A lease has run out, but is renewed right before somebody takes it away: it is not taken away. */
    private static Path renewed() {
        return Path.stored("stored-renewed", Path.messages(1))
                .costingNothing()
                .before(story ->
                        story.soundNode().store(story.broker(), story.broker().unacknowledged()))
                .act((story, node) -> {
                    List<Lease> claimed = node.claim();
                    story.passTime();
                    // H2 looks and takes away in two statements, and locks what it looks at.
                    String piece = story.world().database() == Database.POSTGRESQL ? "delete from" : "lease_until <";
                    story.newNodeBefore(piece, () -> node.renew(claimed)).reap();
                    node.work(story.work(), claimed);
                });
    }

    /** A claim may get no answer; the same node claims again. */
    private static Path unheard() {
        return Path.stored("stored-unheard", Path.messages(2))
                .before(story ->
                        story.soundNode().store(story.broker(), story.broker().unacknowledged()))
                .act((story, node) -> {
                    node.work(story.work(), node.claimIfItAnswers());
                    node.work(story.work());
                });
    }

    /** One message uses up all the memory whenever it is handled: it is set aside, its neighbour is not. */
    private static Path takingItsWorkerAlong() {
        return Path.stored("stored-taking-its-worker-along", Path.messages(2))
                .work(story -> context -> {
                    story.effect(context);
                    if (Works.isFor(context, "-2")) {
                        throw new OutOfMemoryError("all of it");
                    }
                })
                .ends("-2", End.CRASHED);
    }

    /** A node is stopped: what it has claimed and not begun is given back. */
    private static Path released() {
        return Path.stored("stored-released", Path.messages(2))
                .before(story ->
                        story.soundNode().store(story.broker(), story.broker().unacknowledged()))
                .act((story, node) -> {
                    List<Lease> claimed = node.claim();
                    node.renew(claimed);
                    node.release(claimed);
                    node.work(story.work());
                });
    }

    /** A node stands still in its handler for longer than its lease, while another one takes over and finishes. */
    private static Path slow() {
        return Path.stored("stored-slow", Path.messages(2)).work(story -> context -> {
            story.once("overtaken", story::overtake);
            story.effect(context);
        });
    }

    /** The same, and then its handler fails. */
    private static Path slowFailing() {
        return Path.stored("stored-slow-failing", Path.messages(1)).work(story -> context -> {
            boolean[] slow = new boolean[1];
            story.once("overtaken", () -> slow[0] = true);
            if (slow[0]) {
                story.overtake();
                throw new IllegalStateException("too late");
            }
            story.effect(context);
        });
    }

    /** Another node looks for something to do while this one is at work and in time: it must find nothing. */
    private static Path beside() {
        return Path.stored("stored-beside", Path.messages(1)).costingNothing().work(story -> context -> {
            story.once("visited", story::visit);
            story.effect(context);
        });
    }
}
