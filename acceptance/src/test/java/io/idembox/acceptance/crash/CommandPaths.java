// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.ImportReport;
import io.idembox.admin.Report;
import io.idembox.policy.Ordering;
import java.util.List;
import java.util.UUID;

/** Paths of what people do. */
final class CommandPaths {

    private CommandPaths() {}

    static List<Path> all() {
        return List.of(redriven(), discarded(), discardedBeside(), adopted());
    }

    /**
     * Two messages failed for good. Somebody redrives both, and one of them works then; somebody else wants the same, after
     * what he saw before; and the first asks again, because he got no answer.
     */
    private static Path redriven() {
        return Path.stored("redriven", Path.messages(2))
                .policy(Path.DIRECT.retry(Path.TWICE))
                .before(story -> {
                    storedAndTried(story, context -> {
                        throw new IllegalStateException("not yet");
                    });
                    story.see("");
                })
                .insist(CommandPaths::redriveTwice)
                .act((story, node) -> {
                    redriveTwice(story, node);
                    node.work(story.work());
                })
                .until(story -> story.isDone("first") && story.isDone("second"))
                .work(Works.failingWith("-2"))
                .ends("-2", End.FAILED)
                .failures(4)
                .always(Books::whole)
                .inTheEnd(story -> Books.trail(story, "first", "second"));
    }

    private static void storedAndTried(Story story, InboxHandler handler) {
        Node sound = story.soundNode();
        sound.store(story.broker(), story.broker().unacknowledged());
        sound.work(handler);
    }

    private static void redriveTwice(Story story, Node node) {
        Report first = story.command(node, Command.REDRIVE, "", "first");
        story.complainUnless(first.done() == 2, "the first operator did " + first.lines());
        node.work(story.work());
        Report second = story.command(node, Command.REDRIVE, "", "second");
        story.complainUnless(second.done() == 0, "the second operator did " + second.lines());
        node.work(story.work());
        Report again = story.command(node, Command.REDRIVE, "", "first");
        story.complainUnless(
                again.repeated() && again.lines().equals(first.lines()),
                first.lines() + " became " + again.lines() + " when it was asked for again");
    }

    /** The first of a key is parked and holds the others; somebody discards it. */
    private static Path discarded() {
        return Path.stored("discarded", Path.ofOneKey(3))
                .policy(Path.DIRECT.ordering(Ordering.HOLD))
                .before(story -> {
                    storedAndTried(story, story.work());
                    story.see("-1");
                })
                .insist(CommandPaths::discard)
                .act((story, node) -> {
                    discard(story, node);
                    node.work(story.work());
                })
                .until(story -> story.isDone("discard"))
                .work(story -> context -> {
                    story.effect(context);
                    // It would work the second time; but nobody may try.
                    if (context.attempt() == 1 && Works.isFor(context, "-1")) {
                        throw HandlerException.park("look at it");
                    }
                })
                .ends("-1", End.DISCARDED);
    }

    private static void discard(Story story, Node node) {
        Report report = story.command(node, Command.DISCARD, "-1", "discard");
        story.complainUnless(report.done() == 1, "the operator did " + report.lines());
    }

    /** Somebody wants to discard a message while a worker has it: it is left alone. */
    private static Path discardedBeside() {
        return Path.stored("discarded-beside", Path.messages(1))
                .costingNothing()
                .before(story -> {
                    story.soundNode().store(story.broker(), story.broker().unacknowledged());
                    story.see("");
                })
                .work(story -> context -> {
                    story.once(
                            "discard",
                            () -> story.meanwhile(other -> {
                                Report report = story.command(other, Command.DISCARD, "", "discard");
                                story.complainUnless(
                                        report.lines().get(0).result() == CommandResult.IN_PROGRESS,
                                        "the operator did " + report.lines());
                            }));
                    story.effect(context);
                });
    }

    /** Two messages failed elsewhere and are taken over; then somebody redrives them. The topic brings them, too. */
    private static Path adopted() {
        return Path.stored("adopted", Path.messages(2))
                .insist(CommandPaths::adoptAndRedrive)
                .act((story, node) -> {
                    adoptAndRedrive(story, node);
                    node.work(story.work());
                })
                .until(story -> story.world()
                        .list("select message_id from idembox_inbox where status = 'PARKED'")
                        .isEmpty());
    }

    private static void adoptAndRedrive(Story story, Node node) {
        ImportReport importReport = node.adopt(story.broker().sent());
        story.complainUnless(
                importReport.lines().stream()
                        .map(ImportReport.Line::outcome)
                        .noneMatch(ImportReport.Outcome.REFUSED::equals),
                "who adopted was told " + importReport.lines());
        if (story.see("")) {
            // Nobody knows whether the operation before this one happened, so this is another one.
            story.command(node, Command.REDRIVE, "", "redrive-" + UUID.randomUUID());
        }
    }
}
