// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A broker with at-least-once delivery. It delivers to any number of readers at the same time, and what no reader has
 * acknowledged is delivered again. Thread-safe.
 */
final class Broker {

    private final Map<String, Message> messages = new LinkedHashMap<>();
    private final Set<String> sent = new HashSet<>();
    private final Set<String> acknowledged = new HashSet<>();

    /** @param all what may be sent, in the order in which it is sent */
    Broker(List<Message> all) {
        all.forEach(each -> messages.put(each.id().orElseThrow(), each));
    }

    /** The same state for another case. */
    Broker(Broker other) {
        this.messages.putAll(other.messages);
        this.sent.addAll(other.sent);
        this.acknowledged.addAll(other.acknowledged);
    }

    synchronized List<Message> send(String... ids) {
        List<Message> some = new ArrayList<>();
        for (String id : ids) {
            Message message = messages.get(id);
            if (message == null) {
                throw new IllegalArgumentException("There is no message " + id);
            }
            sent.add(id);
            some.add(message);
        }
        return some;
    }

    /** A producer that numbers its messages sends all of them: what is in front of the last one of each key. */
    synchronized void sendWhatIsMissing() {
        Map<String, Integer> last = new HashMap<>();
        sent().forEach(each ->
                numberOf(each).ifPresent(number -> last.merge(each.key().orElseThrow(), number, Math::max)));
        for (Map.Entry<String, Message> each : messages.entrySet()) {
            numberOf(each.getValue())
                    .filter(number ->
                            number < last.getOrDefault(each.getValue().key().orElseThrow(), 0))
                    .ifPresent(number -> sent.add(each.getKey()));
        }
    }

    private static Optional<Integer> numberOf(Message message) {
        return message.headers().text(Fixture.NUMBER).map(Integer::valueOf);
    }

    /** What was sent, in order. */
    synchronized List<Message> sent() {
        return messages.entrySet().stream()
                .filter(each -> sent.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** What was sent and not acknowledged, in order. */
    synchronized List<Message> unacknowledged() {
        return sent().stream()
                .filter(each -> !acknowledged.contains(each.id().orElseThrow()))
                .toList();
    }

    private synchronized void acknowledged(String id) {
        acknowledged.add(id);
    }

    /** @param onAcknowledge what to do when the inbox acknowledges it */
    Delivery deliver(Message message, Consumer<Message> onAcknowledge) {
        return new Delivery() {
            @Override
            public Message message() {
                return message;
            }

            @Override
            public void acknowledge() {
                onAcknowledge.accept(message);
                acknowledged(message.id().orElseThrow());
            }

            @Override
            public void release(Duration notBefore) {
                // It stays where it is.
            }
        };
    }
}
