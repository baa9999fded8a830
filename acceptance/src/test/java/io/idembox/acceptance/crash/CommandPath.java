// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Handling;
import io.idembox.Message;
import io.idembox.Work;
import io.idembox.admin.Command;
import io.idembox.admin.Report;
import io.idembox.admin.Verdict;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Paths of what people do. */
enum CommandPath implements Path {
    /**
     * Two messages failed for good. Somebody redrives both, and one of them works then; somebody else wants the same, after
     * what he saw before; and the first asks again, because he got no answer.
     */
    REDRIVEN {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO));
        }

        @Override
        public void before(Story story) {
            Node sound = story.soundNode();
            sound.store(story.broker(), story.broker().unacknowledged());
            sound.work(context -> {
                throw new IllegalStateException("not yet");
            });
            story.see("");
        }

        @Override
        public void act(Story story, Node node) {
            insist(story, node);
            node.work(work(story));
        }

        @Override
        public void insist(Story story, Node node) {
            Report first = story.command(node, Command.REDRIVE, "", "first");
            story.complainUnless(first.done() == 2, "the first operator did " + first.lines());
            node.work(work(story));
            Report second = story.command(node, Command.REDRIVE, "", "second");
            story.complainUnless(second.done() == 0, "the second operator did " + second.lines());
            node.work(work(story));
            Report again = story.command(node, Command.REDRIVE, "", "first");
            story.complainUnless(
                    again.repeated() && again.lines().equals(first.lines()),
                    first.lines() + " became " + again.lines() + " when it was asked for again");
        }

        @Override
        public boolean isOver(Story story) {
            return story.isDone("first") && story.isDone("second");
        }

        @Override
        public Work work(Story story) {
            return context -> {
                story.effect(context);
                if (context.id().id().endsWith("-2")) {
                    throw new IllegalStateException("poison");
                }
            };
        }

        @Override
        public boolean isPoison(Message message) {
            return message.id().orElseThrow().endsWith("-2");
        }

        @Override
        public Optional<Integer> failures() {
            return Optional.of(4);
        }
    },
    /** The first of a key is parked and holds the others; somebody discards it. */
    DISCARDED {
        @Override
        public List<Message> messages(String id) {
            return List.of(
                    Path.message(id, 1).keyed("k" + id),
                    Path.message(id, 2).keyed("k" + id),
                    Path.message(id, 3).keyed("k" + id));
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.ordering(Ordering.HOLD);
        }

        @Override
        public void before(Story story) {
            Node sound = story.soundNode();
            sound.store(story.broker(), story.broker().unacknowledged());
            sound.work(work(story));
            story.see("-1");
        }

        @Override
        public void act(Story story, Node node) {
            insist(story, node);
            node.work(work(story));
        }

        @Override
        public void insist(Story story, Node node) {
            Report report = story.command(node, Command.DISCARD, "-1", "discard");
            story.complainUnless(report.done() == 1, "the operator did " + report.lines());
        }

        @Override
        public boolean isOver(Story story) {
            return story.isDone("discard");
        }

        @Override
        public Work work(Story story) {
            return context -> {
                story.effect(context);
                // It would work the second time; but nobody may try.
                if (context.attempt() == 1 && context.id().id().endsWith("-1")) {
                    throw Handling.park("look at it");
                }
            };
        }

        @Override
        public boolean isDiscarded(Message message) {
            return message.id().orElseThrow().endsWith("-1");
        }
    },
    /** Somebody wants to discard a message while a worker has it: it is left alone. */
    DISCARDED_BESIDE {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public boolean takesFaults() {
            return false;
        }

        @Override
        public boolean costsNothing() {
            return true;
        }

        @Override
        public void before(Story story) {
            story.soundNode().store(story.broker(), story.broker().unacknowledged());
            story.see("");
        }

        @Override
        public Work work(Story story) {
            return context -> {
                story.once(
                        "discard",
                        () -> story.meanwhile(other -> {
                            Report report = story.command(other, Command.DISCARD, "", "discard");
                            story.complainUnless(
                                    report.lines().get(0).verdict() == Verdict.IN_PROGRESS,
                                    "the operator did " + report.lines());
                        }));
                story.effect(context);
            };
        }
    };

    @Override
    public boolean isStored() {
        return true;
    }
}
