// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.InboxRuntime;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.spi.Publisher;
import java.sql.Connection;
import java.util.List;

/**
 * The sending half: messages that are written in a transaction of the application and published after it is committed, at
 * least once, each time under the same id. Inside a handler use {@link HandlerContext#outbox()} instead.
 *
 * <pre>{@code
 * Inbox inbox = Inbox.on(dataSource).outbox("orders").start();
 * inbox.outbox().relay(KafkaPublisher.on(kafkaConfig), "orders");
 *
 * connection.setAutoCommit(false);
 * insertOrder(connection, order);
 * inbox.outbox().send(connection, "orders", Message.of(order.id(), "OrderPlaced", json).keyed(order.customer()));
 * connection.commit();
 * inbox.outbox().committed();      // optional: the relay begins at once
 * }</pre>
 *
 * <p>People find what is sent under the name of a consumer, {@link #consumer}: look, explain, redrive, park, discard, pause,
 * lag. Thread-safe.
 */
public final class Outbox {

    private final InboxRuntime inboxRuntime;
    private final Runnable openCheck;

    Outbox(InboxRuntime inboxRuntime, Runnable openCheck) {
        this.inboxRuntime = inboxRuntime;
        this.openCheck = openCheck;
    }

    /** What the messages to a destination are called in {@link Inbox#admin()}. */
    public static String consumer(String destination) {
        return OutboxWriter.OUTBOX + destination;
    }

    /**
     * Writes a message in the transaction of the connection. If that is rolled back, the message never existed.
     *
     * <p>Messages of one key are published in the order of their commits: the row of the key is locked until then. So send late
     * in a transaction, and several messages with one call; two transactions that send to the same keys in different orders may
     * meet in a deadlock, which the database ends as any other. A message that was sent before, with the same id, is not sent again; with another payload under
     * its id it is parked as a conflict.
     *
     * @throws NoTransactionException when the connection commits by itself: the message would go out whether or not the
     *     business write happens
     * @throws InboxConfigurationException when the destination is unknown, or the message has no id or is too large
     * @throws StoreUnavailableException when the database refuses; roll back
     */
    public void send(Connection connection, String destination, Message message) {
        send(connection, destination, List.of(message));
    }

    /** The same for many messages, in their order, with one round trip. */
    public void send(Connection connection, String destination, List<Message> messages) {
        openCheck.run();
        inboxRuntime.send(connection, destination, messages);
    }

    /**
     * A transaction that sent something is committed: the relay of this process begins at once. Without it the relay looks
     * every few milliseconds for a while after something was sent, then less often, and at the latest after {@code work.poll}.
     */
    public void committed() {
        inboxRuntime.wakeRelays();
    }

    /**
     * Publishes what is sent to these destinations from now on until the inbox is closed, and closes the publisher then. Any number
     * of processes may do so at the same time.
     */
    public Outbox relay(Publisher publisher, String... destinations) {
        openCheck.run();
        inboxRuntime.startRelays(publisher, List.of(destinations));
        return this;
    }
}
