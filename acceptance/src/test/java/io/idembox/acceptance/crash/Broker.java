// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A broker with at-least-once delivery: what is not acknowledged is delivered again, to whoever is there. */
final class Broker {

    private final List<Message> sent = Collections.synchronizedList(new ArrayList<>());
    private final List<Message> open = Collections.synchronizedList(new ArrayList<>());

    void send(List<Message> messages) {
        sent.addAll(messages);
        open.addAll(messages);
    }

    List<Message> sent() {
        return List.copyOf(sent);
    }

    /** What was not acknowledged, in the order it was sent. */
    List<Message> unacknowledged() {
        synchronized (open) {
            return List.copyOf(open);
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
                forget(message);
            }

            @Override
            public void release(Duration notBefore) {
                // It stays where it is.
            }
        };
    }

    @SuppressWarnings("ReferenceEquality") // each sent message is one thing, twins are two
    private void forget(Message message) {
        synchronized (open) {
            open.removeIf(each -> each == message);
        }
    }
}
