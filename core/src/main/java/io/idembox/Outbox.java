// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.InboxRuntime;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.spi.Publisher;
import java.sql.Connection;
import java.util.List;

/**
 * Sends messages from transactions of the application. A message is written in the transaction and published after the
 * commit, at least once, always with the same id. Inside a handler use {@link HandlerContext#outbox()}.
 *
 * <pre>{@code
 * Inbox inbox = Inbox.on(dataSource).outbox("orders").start();
 * inbox.outbox().relay(KafkaPublisher.on(kafkaConfig), "orders");
 *
 * connection.setAutoCommit(false);
 * insertOrder(connection, order);
 * inbox.outbox().send(connection, "orders", Message.of(order.id(), "OrderPlaced", json).keyed(order.customer()));
 * connection.commit();
 * inbox.outbox().committed();      // optional: wakes the relay
 * }</pre>
 *
 * <p>In {@link Inbox#admin()}, each destination appears as a consumer named {@link #consumer}: inspect, explain,
 * redrive, park, discard, pause and measure lag as for any consumer. Thread-safe.
 */
public final class Outbox {

    private final InboxRuntime inboxRuntime;
    private final Runnable openCheck;

    Outbox(InboxRuntime inboxRuntime, Runnable openCheck) {
        this.inboxRuntime = inboxRuntime;
        this.openCheck = openCheck;
    }

    /** The consumer name of a destination in {@link Inbox#admin()}. */
    public static String consumer(String destination) {
        return OutboxWriter.OUTBOX + destination;
    }

    /**
     * Writes a message in the transaction of the connection. If the transaction is rolled back, the message is never
     * sent.
     *
     * <p>Messages of one key are published in the order of their commits; the row of the key is locked until the
     * commit. Send late in a transaction, and several messages with one call: two transactions that send to the same
     * keys in different order may deadlock, and the database aborts one of them. A message whose id was sent before is
     * not sent again; with a different payload it is parked as a conflict.
     *
     * @throws NoTransactionException when the connection is in auto-commit mode: the message would be sent even if the
     *     business write fails
     * @throws InboxConfigurationException when the destination is unknown, or the message has no id or is too large
     * @throws StoreUnavailableException when the database refuses the write; roll back
     */
    public void send(Connection connection, String destination, Message message) {
        send(connection, destination, List.of(message));
    }

    /** Writes many messages in the given order, with one round trip. */
    public void send(Connection connection, String destination, List<Message> messages) {
        openCheck.run();
        inboxRuntime.send(connection, destination, messages);
    }

    /**
     * Wakes the relay of this process after a transaction that sent messages has committed. Optional: without this call
     * the relay polls every few milliseconds for a while after a send, then less often, at the latest after
     * {@code work.poll}.
     */
    public void committed() {
        inboxRuntime.wakeRelays();
    }

    /**
     * Starts the relay of these destinations. It publishes until the inbox is closed, which also closes the publisher.
     * Any number of processes may run a relay at the same time.
     */
    public Outbox relay(Publisher publisher, String... destinations) {
        openCheck.run();
        inboxRuntime.startRelays(publisher, List.of(destinations));
        return this;
    }
}
