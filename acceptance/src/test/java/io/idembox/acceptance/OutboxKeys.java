// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.KeyCase.outbox;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.spi.PublishResult;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What may be sent to a destination, who it comes from, and in which order it is published. */
final class OutboxKeys {

    private static final String ORDERS = Place.DESTINATION.consumer();

    private OutboxKeys() {}

    static List<KeyCase> all() {
        KeyCase.Scenario sent = OutboxKeys::sent;
        return List.of(
                outbox("source").said("none", "/orders").said("/shop", "/shop").when(OutboxKeys::sourceOfPublished),
                outbox("ordering")
                        .besides("retry.first-delay", "1m")
                        .said("none", "last, later2, refused2")
                        .said("hold", "last")
                        .said("skip-parked", "last, refused2")
                        .when(OutboxKeys::behindOneThatFails),
                outbox("limits.payload-bytes")
                        .said("10", "refused")
                        .said("11", "1 to publish")
                        .when(sent),
                outbox("limits.header-count")
                        .said("1", "refused")
                        .said("2", "1 to publish")
                        .when(sent),
                outbox("limits.header-bytes")
                        .said("7", "refused")
                        .said("8", "1 to publish")
                        .when(sent));
    }

    private static String sourceOfPublished(PolicyBench bench) throws Exception {
        CompletableFuture<String> source = new CompletableFuture<>();
        try (Inbox inbox = bench.open()) {
            bench.send(inbox, Message.of("m1", "OrderPlaced", "{}"));
            inbox.outbox()
                    .relay(
                            (destination, messages) -> {
                                source.complete(messages.get(0).source());
                                return List.of(new PublishResult.Confirmed(null));
                            },
                            PolicyBench.DESTINATION);
            return source.get(60, TimeUnit.SECONDS);
        }
    }

    private static String sent(PolicyBench bench) throws SQLException {
        try (Inbox inbox = bench.open()) {
            bench.send(
                    inbox,
                    Message.of("m1", "OrderPlaced", "{\"cents\":5}")
                            .header("one", "1")
                            .header("two", "2"));
            return bench.known(ORDERS) + " to publish";
        } catch (InboxConfigurationException over) {
            return "refused";
        }
    }

    /** The first one of a key fails for now, the first one of another is refused: which of the second ones are published? */
    private static String behindOneThatFails(PolicyBench bench) throws SQLException {
        try (Inbox inbox = bench.open()) {
            bench.send(inbox, keyed("later", 1), keyed("later", 2), keyed("refused", 1), keyed("refused", 2));
            inbox.outbox().relay(OutboxKeys::publish, PolicyBench.DESTINATION);
            bench.awaitFailures(ORDERS, 2);
        }
        // Whatever may go out does so together with the last one.
        try (Inbox inbox = bench.open()) {
            bench.send(inbox, Message.of("last", "OrderPlaced", "{}"));
            inbox.outbox().relay(OutboxKeys::publish, PolicyBench.DESTINATION);
            PolicyBench.awaitThat(() -> bench.done(ORDERS).contains("last"));
        }
        return bench.done(ORDERS);
    }

    private static List<PublishResult> publish(String destination, List<Message> messages) {
        return messages.stream().map(OutboxKeys::answerTo).toList();
    }

    private static PublishResult answerTo(Message message) {
        return switch (message.id().orElseThrow()) {
            case "later1" -> new PublishResult.Failed(new IllegalStateException("not yet"));
            case "refused1" -> new PublishResult.Refused(new IllegalArgumentException("too large"));
            default -> new PublishResult.Confirmed(null);
        };
    }

    private static Message keyed(String key, int nth) {
        return DatabaseTest.message(key + nth).keyed(key);
    }
}
