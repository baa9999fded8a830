// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandlerContext;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Work;
import io.idembox.internal.jdbc.Database;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** A story whose every call is broken in turn. Message ids begin with the number of the case, so cases do not meet. */
enum Path {
    /** A message is seen for the first time. */
    FIRST {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }
    },
    /** It was handled before. */
    DUPLICATE {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2));
        }

        @Override
        void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
            story.sendAgain();
        }
    },
    /** Another process gets the same message while ours is in its handler. */
    CONCURRENT_DUPLICATE {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        Work work(Story story) {
            return context -> {
                story.once("rival", () -> story.rivalDelivers(story.broker().sent()));
                story.effect(context);
            };
        }
    },
    /** The same message twice in one batch. */
    TWINS {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2), message(id, 1));
        }
    },
    /** A message fails at its first try. */
    FAILING {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2));
        }

        @Override
        Work work(Story story) {
            return failingAtFirst(story, "-1");
        }
    },
    /** One message in the middle of a batch never works; one behind it has the same key. */
    POISON {
        @Override
        List<Message> messages(String id) {
            return IntStream.rangeClosed(1, 5)
                    .mapToObj(i -> message(id, i).keyed(i == 2 || i == 4 ? "k" + id : "k" + id + i))
                    .toList();
        }

        @Override
        Work work(Story story) {
            return context -> {
                story.effect(context);
                if (context.id().id().endsWith("-2")) {
                    throw new IllegalStateException("poison");
                }
            };
        }

        @Override
        boolean isPoison(Message message) {
            return message.id().orElseThrow().endsWith("-2");
        }
    },
    /** Somebody else holds the mark of one message for longer than the front door waits, and then gives up. */
    BUSY {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2), message(id, 3));
        }

        @Override
        void during(Story story, Runnable delivering) {
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
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
            story.send(List.of(conflicting(story.broker().sent().get(0))));
        }
    },
    /** Two messages that failed before are delivered again; one works now, the other fails once more. */
    REDELIVERY {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2));
        }

        @Override
        void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
        }

        @Override
        Work work(Story story) {
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
        List<Message> messages(String id) {
            return List.of(
                    message(id, 1), message(id, 2).keyed(id), message(id, 3).keyed(id));
        }

        @Override
        Work work(Story story) {
            return story::deferredEffect;
        }
    },
    /** The connection of a handler breaks; before the failure is recorded, the redelivery is handled elsewhere. */
    RACE {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        Work work(Story story) {
            return context -> {
                boolean[] first = new boolean[1];
                story.once("lost", () -> first[0] = true);
                if (first[0]) {
                    story.onNextConnection(
                            () -> story.rivalDelivers(story.broker().sent()));
                    cut(story, context);
                    throw new SQLException("the connection broke", "08006");
                }
                story.effect(context);
            };
        }
    },
    /** Two redeliveries of a failed message at the same time. */
    RACE_FOR_A_FAILED_ONE {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
        }

        @Override
        Work work(Story story) {
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
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        Work work(Story story) {
            return context -> {
                if (context.attempt() == 1) {
                    story.halfAnEffect(context);
                    swallow(story, context);
                } else {
                    story.effect(context);
                }
            };
        }
    },
    /** Two nodes handle batches with the same ids in opposite order, again and again. */
    CROSSING {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        boolean takesFaults() {
            return false;
        }

        @Override
        Duration frontDoorWait() {
            // Long enough for the database to notice a deadlock, which PostgreSQL looks for after a second.
            return Duration.ofSeconds(5);
        }

        @Override
        void during(Story story, Runnable delivering) {
            story.cross();
            delivering.run();
        }
    },
    /** Stored, acknowledged, worked on. */
    STORED {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2), message(id, 3));
        }

        @Override
        boolean isStored() {
            return true;
        }
    },
    /** Stored and worked on before. */
    STORED_AGAIN {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        void before(Story story) {
            story.deliverUnharmed(story.broker().sent());
            story.sendAgain();
        }
    },
    /** A stored message fails at its first try and holds its neighbour of the same key; another one never works. */
    STORED_FAILING {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1).keyed("k" + id), message(id, 2).keyed("k" + id), message(id, 3));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        ConsumerPolicy policy() {
            return DIRECT.retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO));
        }

        @Override
        Work work(Story story) {
            Work once = failingAtFirst(story, "-1");
            return context -> {
                once.run(context);
                if (context.id().id().endsWith("-3")) {
                    throw new IllegalStateException("poison");
                }
            };
        }

        @Override
        boolean isPoison(Message message) {
            return message.id().orElseThrow().endsWith("-3");
        }
    },
    /** A message that failed in direct mode is stored when it comes again. */
    STORED_AFTER_FAILING {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        void before(Story story) {
            story.soundNode().deliver(story.broker(), story.broker().unacknowledged(), context -> {
                throw new IllegalStateException("in direct mode");
            });
        }
    },
    /** Three messages of one key, the second of which fails at first; one of another key. */
    STORED_IN_ORDER {
        @Override
        List<Message> messages(String id) {
            return IntStream.rangeClosed(1, 4)
                    .mapToObj(i -> message(id, i).keyed(i == 4 ? "other" + id : "k" + id))
                    .toList();
        }

        @Override
        ConsumerPolicy policy() {
            return DIRECT.ordering(Ordering.HOLD);
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        int batchSize() {
            return 1;
        }

        @Override
        void act(Story story, Node node) {
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
        Work work(Story story) {
            return failingAtFirst(story, "-2");
        }
    },
    /** The first message of a key never works, and the policy lets the next one pass. */
    STORED_PASSING {
        @Override
        List<Message> messages(String id) {
            return List.of(
                    message(id, 1).keyed("k" + id),
                    message(id, 2).keyed("k" + id),
                    message(id, 3).keyed("k" + id));
        }

        @Override
        ConsumerPolicy policy() {
            return DIRECT.ordering(Ordering.SKIP_PARKED)
                    .retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        Work work(Story story) {
            return context -> {
                story.effect(context);
                if (context.id().id().endsWith("-1")) {
                    throw new IllegalStateException("poison");
                }
            };
        }

        @Override
        boolean isPoison(Message message) {
            return message.id().orElseThrow().endsWith("-1");
        }
    },
    /** Somebody claimed messages and is gone; the lease runs out and is taken away. */
    STORED_REAPED {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2), message(id, 3));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        void before(Story story) {
            Node gone = story.soundNode();
            gone.store(story.broker(), story.broker().unacknowledged());
            gone.claim();
            story.passTime();
        }

        @Override
        void act(Story story, Node node) {
            node.reap();
            node.work(work(story));
        }
    },
    /** A node is stopped: what it has claimed and not begun is given back. */
    STORED_RELEASED {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        void before(Story story) {
            story.soundNode().store(story.broker(), story.broker().unacknowledged());
        }

        @Override
        void act(Story story, Node node) {
            var claimed = node.claim();
            node.renew(claimed);
            node.release(claimed);
            node.work(work(story));
        }
    },
    /** A node stands still in its handler for longer than its lease, while another one takes over and finishes. */
    STORED_SLOW {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1), message(id, 2));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        Work work(Story story) {
            return context -> {
                story.once("overtaken", story::overtake);
                story.effect(context);
            };
        }
    },
    /** The same, and then its handler fails. */
    STORED_SLOW_FAILING {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        Work work(Story story) {
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
        List<Message> messages(String id) {
            return List.of(message(id, 1));
        }

        @Override
        boolean isStored() {
            return true;
        }

        @Override
        boolean takesFaults() {
            return false;
        }

        @Override
        boolean costsNothing() {
            return true;
        }

        @Override
        Work work(Story story) {
            return context -> {
                story.once("visited", story::visit);
                story.effect(context);
            };
        }
    },
    /** In direct mode, a message that the inbox tries again itself holds the next one of its key. */
    BEHIND_A_FAILED_ONE {
        @Override
        List<Message> messages(String id) {
            return List.of(message(id, 1).keyed("k" + id), message(id, 2).keyed("k" + id));
        }

        @Override
        ConsumerPolicy policy() {
            return DIRECT.ordering(Ordering.HOLD).retry(DIRECT.retry().by(RetryBy.INBOX));
        }

        @Override
        boolean hasWorkers() {
            return true;
        }

        @Override
        Work work(Story story) {
            return failingAtFirst(story, "-1");
        }
    },
    /** The identity strategy changes while a message is failing. */
    CHANGING_IDENTITY {
        @Override
        List<Message> messages(String id) {
            return IntStream.rangeClosed(1, 2)
                    .mapToObj(i -> Message.withoutId(
                                    Headers.none().with("new-id", id + "-" + i).with("old-id", "old-" + id + "-" + i),
                                    Payload.json("{}"))
                            .from("/orders/" + id))
                    .toList();
        }

        @Override
        ConsumerPolicy policy() {
            return DIRECT.identity(IdentityPolicy.by(Identity.headers("new-id")).replacing(Identity.headers("old-id")));
        }

        @Override
        Work work(Story story) {
            return failingAtFirst(story, "-1");
        }
    };

    /** How often a poison message is tried. */
    private static final int CAP = 6;

    private static final ConsumerPolicy DIRECT =
            ConsumerPolicy.defaults().retry(RetryPolicy.exponential(CAP, Duration.ZERO, Duration.ZERO));

    abstract List<Message> messages(String id);

    /** What happens before anything breaks. */
    void before(Story story) {}

    /** What happens around the delivery that breaks. */
    void during(Story story, Runnable delivering) {
        delivering.run();
    }

    Work work(Story story) {
        return story::effect;
    }

    ConsumerPolicy policy() {
        return DIRECT;
    }

    /** Whether deliveries are stored and then worked on. */
    boolean isStored() {
        return false;
    }

    /** How many messages share a lease. */
    int batchSize() {
        return 2;
    }

    /** Whether workers take part. */
    boolean hasWorkers() {
        return isStored();
    }

    /** What the node does that breaks. */
    void act(Story story, Node node) {
        story.deliver(node, story.broker().unacknowledged());
    }

    /** Whether no attempt may be counted, because nothing went wrong. */
    boolean costsNothing() {
        return false;
    }

    /** Whether the effects of each key have to be in the order their messages were sent in. */
    boolean keepsOrder() {
        return policy().ordering() != Ordering.NONE;
    }

    /** How long a node waits for a mark that somebody else is writing; short, because some stories wait in vain. */
    Duration frontDoorWait() {
        return Duration.ofMillis(40);
    }

    /** Whether the message can only end as failed for good. */
    boolean isPoison(Message message) {
        return false;
    }

    /** Whether every call is broken in turn; a path without is run once, for what it shows by itself. */
    boolean takesFaults() {
        return true;
    }

    private static Message message(String id, int nr) {
        // A source of its own, so that learning a new source is part of every story.
        return Message.of(id + "-" + nr, "OrderPlaced", "{\"nr\":" + nr + "}").from("/orders/" + id);
    }

    private static Message conflicting(Message original) {
        return original.payload(Payload.json("{\"other\":true}"));
    }

    private static Work failingAtFirst(Story story, String suffix) {
        return context -> {
            story.effect(context);
            if (context.attempt() == 1 && context.id().id().endsWith(suffix)) {
                throw new IllegalStateException("not yet");
            }
        };
    }

    /** The connection is gone for real. */
    private static void cut(Story story, HandlerContext context) throws SQLException {
        Connection connection = story.world().database() == Database.POSTGRESQL
                ? context.connection().unwrap(org.postgresql.jdbc.PgConnection.class)
                : context.connection().unwrap(org.h2.jdbc.JdbcConnection.class);
        connection.close();
    }

    /** On PostgreSQL through the unwrapped driver, where only the proof notices; on H2 in the open. */
    private static void swallow(Story story, HandlerContext context) throws SQLException {
        Connection connection = story.world().database() == Database.POSTGRESQL
                ? context.connection().unwrap(org.postgresql.jdbc.PgConnection.class)
                : context.connection();
        try (PreparedStatement wrong = connection.prepareStatement("insert into taken values (1)")) {
            wrong.execute();
        } catch (SQLException careless) {
            // and on it goes
        }
    }
}
