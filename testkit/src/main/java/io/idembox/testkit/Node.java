// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running inbox and its consumer, connected to the broker of a test. Thread-safe. */
final class Node implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Node.class);

    private final Inbox inbox;
    private final String consumer;
    private final @Nullable InboxHandler handler;
    private final @Nullable Subscription subscription;
    private final Broker broker;
    private final UnaryOperator<Delivery> wire;

    /** @param wire wraps each delivery on its way from the broker to the node */
    Node(Inbox inbox, InboxHarness.Builder options, Broker broker, UnaryOperator<Delivery> wire) {
        this.inbox = inbox;
        this.consumer = options.consumer;
        this.handler = options.work;
        this.subscription = options.subscription == null ? null : options.subscription.apply(inbox);
        this.broker = broker;
        this.wire = wire;
    }

    /** Receives all messages in one poll and acknowledges or releases each by its receipt. */
    List<Receipt> receive(List<Message> messages) {
        if (messages.isEmpty()) {
            return List.of();
        }
        List<Delivery> deliveries = new ArrayList<>(messages.size());
        messages.forEach(message -> deliveries.add(wire.apply(broker.deliver(message))));
        List<Receipt> receipts = subscription == null ? handle(messages, deliveries) : subscription.receive(deliveries);
        for (int i = 0; i < receipts.size(); i++) {
            if (receipts.get(i).kind() == Receipt.Kind.DUPLICATE) {
                broker.answeredDuplicate(messages.get(i));
            }
        }
        return receipts;
    }

    private List<Receipt> handle(List<Message> messages, List<Delivery> deliveries) {
        if (handler == null) {
            throw new IllegalStateException("There is no handler");
        }
        List<Receipt> receipts = inbox.handleAll(consumer, messages, handler);
        for (int i = 0; i < receipts.size(); i++) {
            settle(deliveries.get(i), receipts.get(i));
        }
        return receipts;
    }

    /** Acknowledges or releases as broker adapters do: when the call fails, the broker redelivers. */
    private static void settle(Delivery delivery, Receipt receipt) {
        try {
            if (receipt.acknowledges()) {
                delivery.acknowledge();
            } else {
                delivery.release(receipt.retryAfter().orElse(Duration.ZERO));
            }
        } catch (RuntimeException thrown) {
            log.debug(
                    "{} is {}, but the call to the broker failed; it will redeliver",
                    delivery.message(),
                    receipt,
                    thrown);
        }
    }

    @Override
    public void close() {
        inbox.close();
    }
}
