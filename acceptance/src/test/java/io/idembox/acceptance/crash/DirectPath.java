// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Work;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Paths of direct mode. */
enum DirectPath implements Path {
    /** A message is seen for the first time. */
    FIRST {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }
    },
    /** It was handled before. */
    DUPLICATE {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
            story.sendAgain();
        }
    },
    /** Another process gets the same message while ours is in its handler. */
    CONCURRENT_DUPLICATE {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public Work work(Story story) {
            return context -> {
                story.once("rival", () -> story.rivalDelivers(story.broker().sent()));
                story.effect(context);
            };
        }
    },
    /** The same message twice in one batch. */
    TWINS {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2), Path.message(id, 1));
        }
    },
    /** A message fails at its first try. */
    FAILING {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public Work work(Story story) {
            return Path.failingAtFirst(story, "-1");
        }
    },
    /** One message in the middle of a batch never works; one behind it has the same key. */
    POISON {
        @Override
        public List<Message> messages(String id) {
            return IntStream.rangeClosed(1, 5)
                    .mapToObj(i -> Path.message(id, i).keyed(i == 2 || i == 4 ? "k" + id : "k" + id + i))
                    .toList();
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
    },
    /** Somebody else holds the mark of one message for longer than the front door waits, and then gives up. */
    BUSY {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2), Path.message(id, 3));
        }

        @Override
        public void during(Story story, Runnable delivering) {
            try (Connection rival = story.world().dataSource().getConnection()) {
                rival.setAutoCommit(false);
                story.world()
                        .bystander()
                        .handle(rival, "billing", story.broker().sent().get(1), context -> {});
                try {
                    delivering.run();
                } finally {
                    rival.rollback();
                    rival.setAutoCommit(true);
                }
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        }
    },
    /** The same id with another payload, in a later delivery. */
    CONFLICT {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
            story.send(List.of(Path.conflicting(story.broker().sent().get(0))));
        }
    },
    /** Two messages that failed before are delivered again; one works now, the other fails once more. */
    REDELIVERY {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1), Path.message(id, 2));
        }

        @Override
        public void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
        }

        @Override
        public Work work(Story story) {
            return context -> {
                story.effect(context);
                int fails = context.id().id().endsWith("-1") ? 1 : 2;
                if (context.attempt() <= fails) {
                    throw new IllegalStateException("not yet");
                }
            };
        }
    },
    /** Handlers that put everything off. */
    LATER {
        @Override
        public List<Message> messages(String id) {
            return List.of(
                    Path.message(id, 1),
                    Path.message(id, 2).keyed(id),
                    Path.message(id, 3).keyed(id));
        }

        @Override
        public Work work(Story story) {
            return story::deferredEffect;
        }
    },
    /** The connection of a handler breaks; before the failure is recorded, the redelivery is handled elsewhere. */
    RACE {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public Work work(Story story) {
            return context -> {
                boolean[] first = new boolean[1];
                story.once("lost", () -> first[0] = true);
                if (first[0]) {
                    story.onNextConnection(
                            () -> story.rivalDelivers(story.broker().sent()));
                    Path.cut(story, context);
                    throw new SQLException("the connection broke", "08006");
                }
                story.effect(context);
            };
        }
    },
    /** Two redeliveries of a failed message at the same time. */
    RACE_FOR_A_FAILED_ONE {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
        }

        @Override
        public Work work(Story story) {
            return context -> {
                if (context.attempt() == 1) {
                    throw new IllegalStateException("not yet");
                }
                story.once("rival", () -> story.rivalDelivers(story.broker().sent()));
                story.effect(context);
            };
        }
    },
    /** A handler does half of its work, meets an error and swallows it. */
    SWALLOWED {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public Work work(Story story) {
            return context -> {
                if (context.attempt() == 1) {
                    story.halfAnEffect(context);
                    Path.swallow(story, context);
                } else {
                    story.effect(context);
                }
            };
        }
    },
    /** Two nodes handle batches with the same ids in opposite order, again and again. */
    CROSSING {
        @Override
        public List<Message> messages(String id) {
            return List.of(Path.message(id, 1));
        }

        @Override
        public boolean takesFaults() {
            return false;
        }

        @Override
        public Duration frontDoorWait() {
            // Long enough for the database to notice a deadlock, which PostgreSQL looks for after a second.
            return Duration.ofSeconds(5);
        }

        @Override
        public void during(Story story, Runnable delivering) {
            story.cross();
            delivering.run();
        }
    },
    /** The identity strategy changes while a message is failing. */
    CHANGING_IDENTITY {
        @Override
        public List<Message> messages(String id) {
            return IntStream.rangeClosed(1, 2)
                    .mapToObj(i -> Message.withoutId(
                                    Headers.none().with("new-id", id + "-" + i).with("old-id", "old-" + id + "-" + i),
                                    Payload.json("{}"))
                            .from("/orders/" + id))
                    .toList();
        }

        @Override
        public ConsumerPolicy policy() {
            return DIRECT.identity(IdentityPolicy.by(Identity.headers("new-id")).replacing(Identity.headers("old-id")));
        }

        @Override
        public Work work(Story story) {
            return Path.failingAtFirst(story, "-1");
        }
    }
}
