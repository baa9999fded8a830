// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.Work;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Paths of stored mode and of order. */
enum StoredPath implements Path {
    /** Stored, acknowledged, worked on. */
    STORED {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2), Path.message(id, 3));
        }

        @Override
        public boolean isStored() {
            return true;
        }
    },
    /** Stored and worked on before. */
    STORED_AGAIN {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
            story.sendAgain();
        }
    },
    /** A stored message fails at its first try and holds its neighbour of the same key; another one never works. */
    STORED_FAILING {
        @Override
        public List<Message> messages(String id) {
            return List.of(
                    Path.message(id, 1).keyed("k" + id), Path.message(id, 2).keyed("k" + id), Path.message(id, 3));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO));
        }

        @Override
        public Work work(Story story) {
            Work once = Path.failingAtFirst(story, "-1");
            return context -> {
                once.run(context);
                if (context.id().id().endsWith("-3")) {
                    throw new IllegalStateException("poison");
                }
            };
        }

        @Override
        public boolean isPoison(Message message) {
            return message.id().orElseThrow().endsWith("-3");
        }
    },
    /** A message that failed in direct mode is stored when it comes again. */
    STORED_AFTER_FAILING {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public void before(Story story) {
            story.soundNode().deliver(story.broker(), story.broker().unacknowledged(), context -> {
                throw new IllegalStateException("in direct mode");
            });
        }
    },
    /** Three messages of one key, the second of which fails at first; one of another key. */
    STORED_IN_ORDER {
        @Override
        public List<Message> messages(String id) {
            return IntStream.rangeClosed(1, 4)
                    .mapToObj(i -> Path.message(id, i).keyed(i == 4 ? "other" + id : "k" + id))
                    .toList();
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.ordering(Ordering.HOLD);
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public int batchSize() {
            return 1;
        }

        @Override
        public void act(Story story, Node node) {
            for (Message message : story.broker().unacknowledged()) {
                node.store(story.broker(), List.of(message));
                if (story.broker().unacknowledged().contains(message)) {
                    // A broker that keeps order brings nothing of a key before what was there first is acknowledged.
                    return;
                }
            }
            node.work(work(story));
        }

        @Override
        public Work work(Story story) {
            return Path.failingAtFirst(story, "-2");
        }
    },
    /** The first message of a key never works, and the policy lets the next one pass. */
    STORED_PASSING {
        @Override
        public List<Message> messages(String id) {
            return List.of(
                    Path.message(id, 1).keyed("k" + id),
                    Path.message(id, 2).keyed("k" + id),
                    Path.message(id, 3).keyed("k" + id));
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.ordering(Ordering.SKIP_PARKED)
                    .retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public Work work(Story story) {
            return context -> {
                story.effect(context);
                if (context.id().id().endsWith("-1")) {
                    throw new IllegalStateException("poison");
                }
            };
        }

        @Override
        public boolean isPoison(Message message) {
            return message.id().orElseThrow().endsWith("-1");
        }
    },
    /** Somebody claimed messages and is gone; the lease runs out and is taken away. */
    STORED_REAPED {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2), Path.message(id, 3));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public void before(Story story) {
            Node gone = story.soundNode();
            gone.store(story.broker(), story.broker().unacknowledged());
            gone.claim();
            story.passTime();
        }

        @Override
        public void act(Story story, Node node) {
            node.reap();
            node.work(work(story));
        }
    },
    /** A node is stopped: what it has claimed and not begun is given back. */
    STORED_RELEASED {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public void before(Story story) {
            story.soundNode().store(story.broker(), story.broker().unacknowledged());
        }

        @Override
        public void act(Story story, Node node) {
            var claimed = node.claim();
            node.renew(claimed);
            node.release(claimed);
            node.work(work(story));
        }
    },
    /** A node stands still in its handler for longer than its lease, while another one takes over and finishes. */
    STORED_SLOW {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public Work work(Story story) {
            return context -> {
                story.once("overtaken", story::overtake);
                story.effect(context);
            };
        }
    },
    /** The same, and then its handler fails. */
    STORED_SLOW_FAILING {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public Work work(Story story) {
            return context -> {
                boolean[] slow = new boolean[1];
                story.once("overtaken", () -> slow[0] = true);
                if (slow[0]) {
                    story.overtake();
                    throw new IllegalStateException("too late");
                }
                story.effect(context);
            };
        }
    },
    /** Another node looks for something to do while this one is at work and in time: it must find nothing. */
    STORED_BESIDE {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public boolean isStored() {
            return true;
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
        public Work work(Story story) {
            return context -> {
                story.once("visited", story::visit);
                story.effect(context);
            };
        }
    },
    /** Two steps, between which the handler fails once. */
    STEPS {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.mode(Mode.STORED);
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public List<String> parts() {
            return STEPPED;
        }

        @Override
        public Work work(Story story) {
            return context -> {
                context.step("one", step -> story.stepEffect(context, step));
                if (context.attempt() == 1 && context.id().id().endsWith("-1")) {
                    throw new IllegalStateException("not yet");
                }
                context.step("two", step -> story.stepEffect(context, step));
                story.effect(context);
            };
        }
    },
    /** A node stands still inside a step for longer than its lease, while another one takes over and finishes. */
    STEPS_SLOW {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.mode(Mode.STORED);
        }

        @Override
        public boolean isStored() {
            return true;
        }

        @Override
        public List<String> parts() {
            return STEPPED;
        }

        @Override
        public Work work(Story story) {
            return context -> {
                context.step("one", step -> story.stepEffect(context, step));
                context.step("two", step -> {
                    story.stepEffect(context, step);
                    story.once("overtaken", story::overtake);
                });
                story.effect(context);
            };
        }
    },
    /** In direct mode, a message that the inbox tries again itself holds the next one of its key. */
    BEHIND_A_FAILED_ONE {
        @Override
        public List<Message> messages(String id) {
            return List.of(
                    Path.message(id, 1).keyed("k" + id), Path.message(id, 2).keyed("k" + id));
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.ordering(Ordering.HOLD).retry(DIRECT.retry().by(RetryBy.INBOX));
        }

        @Override
        public boolean hasWorkers() {
            return true;
        }

        @Override
        public Work work(Story story) {
            return Path.failingAtFirst(story, "-1");
        }
    };

    private static final List<String> STEPPED = List.of("at once", "later", "one", "two");
}
