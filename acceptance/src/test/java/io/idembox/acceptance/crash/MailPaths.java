// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.policy.OnDuplicate;
import io.idembox.policy.OutgoingPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Paths of what is sent: with the effect, then to the broker, then to whoever reads it there. */
final class MailPaths {

    private static final OutgoingPolicy QUIET = OutgoingPolicy.defaults();

    /** How long somebody waits who has to wait, until the story goes on. */
    private static final int BLOCKED_MILLIS = 300;

    private MailPaths() {}

    private static List<Message> nothingComesIn(String id) {
        return List.of();
    }

    static List<Path> all() {
        return List.of(
                sends(),
                chain(),
                stored(),
                inATransaction(),
                late(),
                inCommitOrder(),
                again(),
                deadLetter(),
                relays(),
                failing(),
                unheard(),
                refused(),
                slow(),
                overtaken());
    }

    /** Two messages of a batch send two each; one fails after it has sent. */
    private static Path sends() {
        return Path.direct("sends", Path.messages(2))
                .mail(Mail.sending(2))
                .act((story, node) ->
                        node.deliver(story.broker(), story.broker().unacknowledged(), story.work()))
                .work(story -> context -> {
                    send(story, context);
                    if (context.attempt() == 1 && Works.isFor(context, "-1")) {
                        throw new IllegalStateException("not yet");
                    }
                });
    }

    /** All the way: handled, published, read by a consumer with an inbox. */
    private static Path chain() {
        return Path.direct("sends-and-is-read", Path.messages(1))
                .withMainFaults()
                .mail(Mail.sending(2))
                .act((story, node) -> {
                    node.deliver(story.broker(), story.broker().unacknowledged(), story.work());
                    node.mail().publishAll();
                    node.mail().read(story::effect);
                })
                .work(story -> context -> send(story, context));
    }

    /** A stored message is worked on. */
    private static Path stored() {
        return Path.stored("stored-sends", Path.messages(2))
                .mail(Mail.sending(1))
                .before(story ->
                        story.soundNode().store(story.broker(), story.broker().unacknowledged()))
                .act((story, node) -> node.work(story.work()))
                .work(story -> context -> send(story, context));
    }

    /** The application sends in a transaction of its own. */
    private static Path inATransaction() {
        return application("sends-in-a-transaction", Mail.sending(2))
                .act((story, node) -> transaction(story, node, "-1", () -> {}));
    }

    /** It commits late; meanwhile others got higher numbers, and were published. */
    private static Path late() {
        return application("sends-late", Mail.sending(1).keys((cause, nr) -> cause))
                .withMainFaults()
                .act((story, node) -> transaction(
                        story,
                        node,
                        "-1",
                        () -> story.meanwhile(other -> {
                            transaction(story, other, "-2", () -> {});
                            other.mail().publishAll();
                        })));
    }

    /** Two transactions send for one key; who comes second has to wait until the first is committed. */
    private static Path inCommitOrder() {
        return Path.direct("sends-in-commit-order", MailPaths::nothingComesIn)
                .mail(Mail.sending(1))
                .withoutFaults()
                .before(story -> {
                    transaction(story, story.soundNode(), "-0", () -> {});
                    story.outside().commits().add(story.cause("-0"));
                })
                .act(MailPaths::crossing);
    }

    private static void crossing(Story story, Node node) {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?>[] second = new Future<?>[1];
            transaction(story, node, "-1", () -> {
                Node other = story.newNode();
                second[0] = thread.submit(() -> {
                    transaction(story, other, "-2", () -> {});
                    story.outside().commits().add(story.cause("-2"));
                });
                await(second[0], BLOCKED_MILLIS);
                story.outside().commits().add(story.cause("-1"));
            });
            await(second[0], 10_000);
            node.mail().publishAll();
        } finally {
            thread.shutdownNow();
        }
    }

    private static void await(Future<?> ending, int millis) {
        try {
            ending.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException waiting) {
            // It waits for us.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** It was handled and published; whoever asks again gets everything again. */
    private static Path again() {
        return Path.direct("sends-again", Path.messages(1))
                .policy(Path.DIRECT.outgoing(QUIET.onDuplicate(OnDuplicate.RESEND)))
                .mail(Mail.sending(2).times(2))
                .before(story -> {
                    story.deliverUnharmed(story.broker().sent());
                    story.sendAgain();
                })
                .act((story, node) ->
                        node.deliver(story.broker(), story.broker().unacknowledged(), story.work()))
                .work(story -> context -> send(story, context));
    }

    /** It fails for good: others get it as a dead letter, and nothing of what it sent. */
    private static Path deadLetter() {
        return Path.stored("sends-a-dead-letter", Path.messages(1))
                .withMainFaults()
                .policy(Path.DIRECT.retry(Path.TWICE).outgoing(QUIET.deadLetters(Mail.ORDERS)))
                .mail(Mail.sending(1).deadLetters(1))
                .before(story ->
                        story.soundNode().store(story.broker(), story.broker().unacknowledged()))
                .act((story, node) -> node.work(story.work()))
                .work(story -> context -> {
                    send(story, context);
                    throw new IllegalStateException("poison");
                })
                .ends("-1", End.FAILED);
    }

    /** Three of one key and one of another. */
    private static Path relays() {
        return relaying("relays", Mail.sending(4).keys(MailPaths::lastIsAlone));
    }

    /** The second of a key does not get through at first. */
    private static Path failing() {
        return relayingAlso(
                "relays-failing",
                Mail.sending(4)
                        .keys(MailPaths::lastIsAlone)
                        .reaction((story, id) -> first(story, id, ">1") ? Mail.Reaction.FAILS : Mail.Reaction.TAKES));
    }

    /** The second of a key gets through, but nobody hears of it. */
    private static Path unheard() {
        return relayingAlso(
                "relays-unheard",
                Mail.sending(3)
                        .reaction((story, id) ->
                                first(story, id, ">2") ? Mail.Reaction.TAKES_AND_DOES_NOT_SAY : Mail.Reaction.TAKES));
    }

    /** The second of a key is never taken; it is parked and passed. */
    private static Path refused() {
        return relayingAlso("relays-refused", Mail.sending(3).refusing(">2"));
    }

    /** A relay stands still while the broker takes the second one, for longer than its lease; another one takes over. */
    private static Path slow() {
        return relayingAlso("relays-slow", Mail.sending(3).reaction((story, id) -> {
            if (id.endsWith(">2")) {
                story.once("overtaken", story::overtake);
            }
            return Mail.Reaction.TAKES;
        }));
    }

    /**
     * A relay stands still for longer than its lease while the broker has two of different keys, and the broker does not take
     * the second one from it. By then another one has published it: it must not come back.
     */
    private static Path overtaken() {
        return relaying(
                        "relays-overtaken",
                        Mail.sending(3)
                                .keys((cause, nr) -> cause + (nr == 1 ? "alone" : "together"))
                                .noMore(">2")
                                .reaction((story, id) -> {
                                    if (!first(story, id, ">2")) {
                                        return Mail.Reaction.TAKES;
                                    }
                                    story.overtake();
                                    return Mail.Reaction.FAILS;
                                }))
                .withoutFaults();
    }

    /** The calls are the same as when all is well. */
    private static Path relayingAlso(String name, Mail mail) {
        return relaying(name, mail).withMainFaults();
    }

    private static Path relaying(String name, Mail mail) {
        return Path.direct(name, MailPaths::nothingComesIn)
                .mail(mail)
                .before(story -> transaction(story, story.soundNode(), "-1", () -> {}))
                .act((story, node) -> node.mail().publishAll());
    }

    private static Path application(String name, Mail mail) {
        return Path.direct(name, MailPaths::nothingComesIn)
                .mail(mail)
                .insist((story, node) -> {
                    if (story.isAfterwards() && !isDone(story)) {
                        transaction(story, node, "-1", () -> {});
                    }
                })
                .until(MailPaths::isDone);
    }

    private static boolean isDone(Story story) {
        return story.outside().hasEffect(story.cause("-1"));
    }

    private static String lastIsAlone(String cause, int nr) {
        return cause + (nr == 4 ? "alone" : "together");
    }

    private static boolean first(Story story, String id, String suffix) {
        boolean[] first = new boolean[1];
        if (id.endsWith(suffix)) {
            story.once("met", () -> first[0] = true);
        }
        return first[0];
    }

    private static void send(Story story, HandlerContext context) throws SQLException {
        story.effect(context);
        story.outside()
                .mail()
                .of(context.id().id())
                .forEach(each -> context.outbox().send(Mail.ORDERS, each));
    }

    /** A business write and what is sent for it. */
    private static void transaction(Story story, Node node, String suffix, Runnable beforeCommit) {
        String cause = story.cause(suffix);
        try (Connection connection = node.connect()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert =
                    connection.prepareStatement("insert into effect (id, part) values (?, 'at once')")) {
                insert.setString(1, cause);
                insert.executeUpdate();
            }
            node.mail().send(connection, cause);
            beforeCommit.run();
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
