// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Paths of direct mode. */
final class DirectPaths {

    private static final Consumer<Story> DELIVERED =
            story -> story.deliverUnharmed(story.broker().sent());

    private DirectPaths() {}

    static List<Path> all() {
        return List.of(
                first(),
                duplicate(),
                concurrentDuplicate(),
                twins(),
                failing(),
                poison(),
                busy(),
                conflict(),
                redelivery(),
                later(),
                race(),
                raceForAFailedOne(),
                swallowed(),
                crossing(),
                changingIdentity());
    }

    /** A message is seen for the first time. */
    private static Path first() {
        return Path.direct("first", Path.messages(1));
    }

    /** It was handled before. */
    private static Path duplicate() {
        return Path.direct("duplicate", Path.messages(2)).before(DELIVERED.andThen(Story::sendAgain));
    }

    /** Another process gets the same message while ours is in its handler. */
    private static Path concurrentDuplicate() {
        return Path.direct("concurrent-duplicate", Path.messages(1)).work(story -> context -> {
            story.once("rival", () -> story.rivalDelivers(story.broker().sent()));
            story.effect(context);
        });
    }

    /** The same message twice in one batch. */
    private static Path twins() {
        return Path.direct("twins", id -> List.of(Path.message(id, 1), Path.message(id, 2), Path.message(id, 1)));
    }

    /** A message fails at its first try. */
    private static Path failing() {
        return Path.direct("failing", Path.messages(2)).work(Works.failingAtFirst("-1"));
    }

    /** One message in the middle of a batch never works; one behind it has the same key. */
    private static Path poison() {
        return Path.direct(
                        "poison",
                        id -> IntStream.rangeClosed(1, 5)
                                .mapToObj(i -> Path.message(id, i).keyed(i == 2 || i == 4 ? "k" + id : "k" + id + i))
                                .toList())
                .work(Works.failingWith("-2"))
                .ends("-2", End.FAILED);
    }

    /** Somebody else holds the mark of one message for longer than the front door waits, and then gives up. */
    private static Path busy() {
        return Path.direct("busy", Path.messages(3)).during((story, delivering) -> {
            try (Connection rival = story.world().dataSource().getConnection()) {
                rival.setAutoCommit(false);
                Message second = story.broker().sent().get(1);
                story.world().bystander().handle(rival, "billing", second, context -> {});
                try {
                    delivering.run();
                } finally {
                    rival.rollback();
                    rival.setAutoCommit(true);
                }
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
    }

    /** The same id with another payload, in a later delivery. */
    private static Path conflict() {
        return Path.direct("conflict", Path.messages(1))
                .before(DELIVERED.andThen(story -> story.send(
                        List.of(Path.conflicting(story.broker().sent().get(0))))));
    }

    /** Two messages that failed before are delivered again; one works now, the other fails once more. */
    private static Path redelivery() {
        return Path.direct("redelivery", Path.messages(2)).before(DELIVERED).work(story -> context -> {
            story.effect(context);
            int fails = Works.isFor(context, "-1") ? 1 : 2;
            if (context.attempt() <= fails) {
                throw new IllegalStateException("not yet");
            }
        });
    }

    /** Handlers that put everything off. */
    private static Path later() {
        return Path.direct(
                        "later",
                        id -> List.of(
                                Path.message(id, 1),
                                Path.message(id, 2).keyed(id),
                                Path.message(id, 3).keyed(id)))
                .work(story -> story::deferredEffect);
    }

    /** The connection of a handler breaks; before the failure is recorded, the redelivery is handled elsewhere. */
    private static Path race() {
        return Path.direct("race", Path.messages(1)).work(story -> context -> {
            boolean[] first = new boolean[1];
            story.once("lost", () -> first[0] = true);
            if (first[0]) {
                story.onNextConnection(() -> story.rivalDelivers(story.broker().sent()));
                Works.cut(story, context);
                throw new SQLException("the connection broke", "08006");
            }
            story.effect(context);
        });
    }

    /** Two redeliveries of a failed message at the same time. */
    private static Path raceForAFailedOne() {
        return Path.direct("race-for-a-failed-one", Path.messages(1))
                .before(DELIVERED)
                .work(story -> context -> {
                    if (context.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    story.once("rival", () -> story.rivalDelivers(story.broker().sent()));
                    story.effect(context);
                });
    }

    /** A handler does half of its work, meets an error and swallows it. */
    private static Path swallowed() {
        return Path.direct("swallowed", Path.messages(1)).work(story -> context -> {
            if (context.attempt() == 1) {
                story.halfAnEffect(context);
                Works.swallow(story, context);
            } else {
                story.effect(context);
            }
        });
    }

    /** Two nodes handle batches with the same ids in opposite order, again and again. */
    private static Path crossing() {
        return Path.direct("crossing", Path.messages(1)).withoutDeadlocks().during((story, delivering) -> {
            story.cross();
            delivering.run();
        });
    }

    /** The identity strategy changes while a message is failing. */
    private static Path changingIdentity() {
        return Path.direct(
                        "changing-identity",
                        id -> IntStream.rangeClosed(1, 2)
                                .mapToObj(i -> Message.withoutId(
                                                Headers.none()
                                                        .with("new-id", id + "-" + i)
                                                        .with("old-id", "old-" + id + "-" + i),
                                                Payload.json("{}"))
                                        .from("/orders/" + id))
                                .toList())
                .policy(Path.DIRECT.identity(
                        IdentityPolicy.by(Identity.headers("new-id")).replacing(Identity.headers("old-id"))))
                .work(Works.failingAtFirst("-1"));
    }
}
