// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.HandlerOutbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.MessageId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the handler of one message sends and intends, kept until the handlers of the batch are through. Not thread-safe. */
final class PendingEffects implements HandlerOutbox {

    private final OutboxWriter outboxWriter;
    private final RegisteredConsumer consumer;
    private final RecordedMessage recorded;
    private final boolean suppressed;
    private final List<OutgoingMessage> outgoings = new ArrayList<>(1);
    private final Set<Sent> sent = new HashSet<>();
    private int left;
    private @Nullable RuntimeException trouble;

    private record Sent(int destination, MessageId id) {}

    /** @param suppressed whether nothing goes out, because the message is replayed */
    PendingEffects(
            OutboxWriter outboxWriter, RegisteredConsumer consumer, RecordedMessage recorded, boolean suppressed) {
        this.outboxWriter = outboxWriter;
        this.consumer = consumer;
        this.recorded = recorded;
        this.suppressed = suppressed;
    }

    @Override
    public void send(String destination, Message message) {
        try {
            add(outboxWriter.departure(destination, message, recorded), "outbox().send(\"" + destination + "\", ...)");
        } catch (InboxConfigurationException wrong) {
            throw told(wrong);
        }
    }

    void intend(String name, String part, Object request) {
        try {
            String effect = part.isEmpty() ? name : name + "/" + part;
            String key = EffectKeys.of(consumer, recorded, effect);
            add(outboxWriter.intent(consumer, recorded, name, key, request), "intend(\"" + effect + "\", ...)");
        } catch (InboxConfigurationException wrong) {
            throw told(wrong);
        }
    }

    private void add(OutgoingMessage outgoing, String call) {
        if (!sent.add(new Sent(outgoing.destination().number(), outgoing.id()))) {
            throw new InboxConfigurationException(
                    "The handler of " + recorded.incoming().id() + " calls " + call
                            + " twice with the same id, " + outgoing.id().id()
                            + ": the second would be taken for the first and never go out. Give each effect a name of its"
                            + " own, such as effectKey(\"receipt-2\").");
        }
        if (suppressed) {
            left++;
        } else {
            outgoings.add(outgoing);
        }
    }

    /** Kept for whoever called the handler, because handlers may swallow it. */
    private <T extends RuntimeException> T told(T what) {
        trouble = trouble == null ? what : trouble;
        return what;
    }

    List<OutgoingMessage> departures() {
        return outgoings;
    }

    /** How many were not written, because the message is replayed. */
    int left() {
        return left;
    }

    /** A wrong use, whether or not the handler threw it on; null when there was none. */
    @Nullable
    RuntimeException trouble() {
        return trouble;
    }
}
