// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** An in-memory broker for tests: keeps unacknowledged messages and records all messages. Thread-safe. */
final class Broker {

    private final List<Message> sent = new ArrayList<>();
    private final List<Message> waiting = new ArrayList<>();
    private final List<Message> acknowledged = new ArrayList<>();
    private final List<Message> duplicates = new ArrayList<>();

    /** Accepts messages from a producer. A message sent again is delivered again, but counts as sent once. */
    synchronized void send(Collection<Message> messages) {
        for (Message message : messages) {
            if (!contains(sent, message)) {
                sent.add(message);
            }
            if (!contains(waiting, message)) {
                waiting.add(message);
            }
        }
    }

    Delivery deliver(Message message) {
        return new Delivery() {
            @Override
            public Message message() {
                return message;
            }

            @Override
            public void acknowledge() {
                removeAcknowledged(message);
            }

            @Override
            public void release(Duration notBefore) {
                // The message is still in the waiting list.
            }
        };
    }

    private synchronized void removeAcknowledged(Message message) {
        waiting.removeIf(each -> each == message);
        if (!contains(acknowledged, message)) {
            acknowledged.add(message);
        }
    }

    synchronized void answeredDuplicate(Message message) {
        duplicates.add(message);
    }

    synchronized List<Message> sent() {
        return List.copyOf(sent);
    }

    synchronized List<Message> waiting() {
        return List.copyOf(waiting);
    }

    synchronized List<Message> acknowledged() {
        return List.copyOf(acknowledged);
    }

    synchronized List<Message> duplicates() {
        return List.copyOf(duplicates);
    }

    private static boolean contains(List<Message> messages, Message wanted) {
        return messages.stream().anyMatch(each -> each == wanted);
    }
}
