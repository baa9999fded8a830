// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandlerContext;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Work;
import io.idembox.internal.jdbc.Database;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
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
        IdentityPolicy identity() {
            return IdentityPolicy.by(Identity.headers("new-id")).replacing(Identity.headers("old-id"));
        }

        @Override
        Work work(Story story) {
            return failingAtFirst(story, "-1");
        }
    };

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

    IdentityPolicy identity() {
        return IdentityPolicy.defaults();
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
