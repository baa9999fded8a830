// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Headers;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.Limits;
import io.idembox.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where what is sent and intended is made ready, in the transaction of whoever does it. Each destination and
 * each intent is a consumer inside: what is written here is stored for it, and its workers bring it out after the commit.
 * Thread-safe.
 */
public final class OutboxWriter {

    /** What the names of destinations begin with, as consumers. */
    public static final String OUTBOX = "outbox/";

    private final InboxStore store;
    private final OutgoingRecorder recorder;
    private final PayloadCodec codec;
    private final IntConsumer wake;
    private final Map<String, Destination> destinations = new ConcurrentHashMap<>();
    private final Map<Intention, RegisteredConsumer> intents = new ConcurrentHashMap<>();

    private record Destination(RegisteredConsumer consumer, String source) {}

    private record Intention(int consumer, String name) {}

    /**
     * @param codec writes what is intended
     * @param wake tells whoever works for a consumer inside, by its number, that something was committed
     */
    public OutboxWriter(InboxStore store, PayloadCodec codec, IntConsumer wake) {
        this.store = store;
        this.recorder = new OutgoingRecorder(store);
        this.codec = codec;
        this.wake = wake;
    }

    /** Nothing can be sent here. */
    public static OutboxWriter closed(InboxStore store) {
        return new OutboxWriter(store, new NoCodec(), number -> {});
    }

    private static final class NoCodec implements PayloadCodec {

        @Override
        public <T> T read(Payload payload, Class<T> type) {
            throw new IllegalStateException("Nothing is read here");
        }

        @Override
        public Payload write(Object value) {
            throw new IllegalStateException("Nothing is written here");
        }
    }

    /** A destination that messages may be sent to. */
    public void open(String destination, RegisteredConsumer inside, String source) {
        destinations.put(destination, new Destination(inside, source));
    }

    /** A consumer whose dead letters go to a destination that nobody knows would lose them. */
    public void checkKnows(String destination) {
        destinationOf(destination);
    }

    /** Something that the handlers of a consumer may intend. */
    public void open(RegisteredConsumer consumer, String intent, RegisteredConsumer inside) {
        intents.put(new Intention(consumer.number(), intent), inside);
    }

    /** A message that nobody's handler sends. */
    public void send(Transaction tx, String destination, List<Message> messages) {
        List<OutgoingMessage> outgoings = new ArrayList<>(messages.size());
        for (Message message : messages) {
            outgoings.add(departure(destination, message, null));
        }
        // The transaction is the application's: a new source is looked up on a connection of its own.
        store.prepare(outgoings.stream().map(outgoing -> outgoing.candidate(0)).toList());
        recorder.write(tx, outgoings);
    }

    public void wakeAll() {
        destinations.values().forEach(each -> wake.accept(each.consumer.number()));
    }

    /**
     * Writes what is sent and intended.
     *
     * @return the numbers of the consumers inside that got something
     */
    Set<Integer> write(Transaction tx, List<OutgoingMessage> outgoings) {
        try {
            return recorder.write(tx, outgoings);
        } catch (TransactionFailed failed) {
            throw outside(failed);
        }
    }

    /** An outbox key that is in use delays only the messages that send to it. */
    private static TransactionFailed outside(TransactionFailed failed) {
        return failed.kind() == TransactionFailed.Kind.BUSY
                ? new TransactionFailed(TransactionFailed.Kind.OUTBOX_BUSY, failed.getCause())
                : failed;
    }

    /** Looks up what transactions missed; no transaction of this thread is open. */
    void lookUpNames() {
        store.prepare(List.of());
    }

    /** What was written is committed. */
    void committed(Set<Integer> numbers) {
        numbers.forEach(wake::accept);
    }

    OutgoingMessage departure(String destination, Message message, @Nullable RecordedMessage cause) {
        Destination known = destinationOf(destination);
        String id = message.id()
                .orElseThrow(() -> new InboxConfigurationException("A message to " + destination
                        + " has no id, so that whoever gets it twice could not tell. Use Message.of(id, ...); inside a handler"
                        + " ctx.effectKey(name) makes one that is the same at every try."));
        Message ready = (message.source().isEmpty() ? message.from(known.source) : message)
                .headers(FailureHeaders.without(message.headers()));
        if (cause != null) {
            ready = ready.headers(CausationHeaders.continued(
                    ready.headers(), cause, known.consumer.policy().limits()));
        }
        check(known.consumer, ready, id);
        return departure(known.consumer, ready, id, cause);
    }

    private Destination destinationOf(String destination) {
        Destination known = destinations.get(destination);
        if (known == null) {
            throw new InboxConfigurationException("Nothing can be sent to " + destination
                    + ": this inbox does not know the destination. Tell its builder, with outbox(\"" + destination
                    + "\"). It knows " + (destinations.isEmpty() ? "none" : new TreeSet<>(destinations.keySet()))
                    + ".");
        }
        return known;
    }

    /** An intent is a message to whoever brings it about; its id is the idempotency key. */
    OutgoingMessage intent(
            RegisteredConsumer consumer, RecordedMessage cause, String name, String key, Object request) {
        RegisteredConsumer inside = intents.get(new Intention(consumer.number(), name));
        if (inside == null) {
            throw new InboxConfigurationException("Consumer " + consumer.name() + " has no sender for the intent "
                    + name + ", so that nobody would ever bring it about. Register one with intent(\"" + name
                    + "\", class, sender) on its subscription.");
        }
        MessageId handled = cause.main().id();
        Message message = Message.of(key, name, payloadOf(request))
                .from(handled.source())
                .headers(CausationHeaders.continued(
                        Headers.none(), cause, inside.policy().limits()));
        check(inside, message, key);
        return departure(inside, message, key, cause);
    }

    private Payload payloadOf(Object request) {
        if (request instanceof Payload payload) {
            return payload;
        }
        return request instanceof String json ? Payload.json(json) : codec.write(request);
    }

    /**
     * What failed for good, for whoever reads dead letters: as it came, with what happened to it. Its own id says which
     * consumer gave it up, and is the same whenever that happens.
     */
    OutgoingMessage deadLetter(String destination, RegisteredConsumer consumer, MessageResult result) {
        return deadLetter(destination, consumer, result, true);
    }

    /** @param keyed whether it keeps its key, and so its order among the dead letters of that key */
    OutgoingMessage deadLetter(String destination, RegisteredConsumer consumer, MessageResult result, boolean keyed) {
        RecordedMessage recorded = result.recorded();
        Message failed = recorded.incoming().message();
        Destination known = destinationOf(destination);
        String id = EffectKeys.of(consumer, recorded, "dead-letter");
        Message delivery = Message.of(id, failed.type().name(), failed.payload())
                .typed(failed.type().name(), failed.type().version())
                .from(known.source)
                .headers(FailureHeaders.headersOf(consumer, result));
        String key = keyed ? recorded.incoming().key() : null;
        return departure(known.consumer, key == null ? delivery : delivery.keyed(key), id, recorded);
    }

    /** Publishes again what was sent for messages that were handled before, where somebody wants that. */
    void resend(Transaction tx, List<RecordedMessage> recorded) {
        List<Long> causes = recorded.stream()
                .flatMap(each -> each.resent().stream())
                .sorted()
                .toList();
        if (!causes.isEmpty()) {
            try {
                destinations.values().stream()
                        .map(Destination::consumer)
                        .sorted(Comparator.comparing(RegisteredConsumer::number))
                        .forEach(destination -> store.outgoing().resend(tx, destination, causes));
            } catch (TransactionFailed failed) {
                throw outside(failed);
            }
        }
    }

    private static OutgoingMessage departure(
            RegisteredConsumer inside, Message message, String id, @Nullable RecordedMessage cause) {
        return new OutgoingMessage(
                inside,
                message,
                new MessageId(message.source(), id),
                Fingerprint.ofBytes().of(message.payload()),
                cause == null ? null : cause.main().arrival());
    }

    /** Nothing is written that nobody could publish. */
    private static void check(RegisteredConsumer inside, Message message, String id) {
        Limits limits = inside.policy().limits();
        Headers headers = message.headers();
        String over = null;
        if (id.isEmpty() || !UnstorableText.isStorable(id, Admission.ID_LIMIT)) {
            over = "an id that is empty, longer than " + Admission.ID_LIMIT + " bytes or not text";
        } else if (message.payload().size() > limits.payloadBytes()) {
            over = "a payload of " + message.payload().size() + " bytes (limits.payload-bytes is "
                    + limits.payloadBytes() + ")";
        } else if (headers.all().size() > limits.headerCount() || headers.size() > limits.headerBytes()) {
            over = headers.all().size() + " headers of " + headers.size() + " bytes (limits.header-count is "
                    + limits.headerCount() + ", limits.header-bytes is " + limits.headerBytes() + ")";
        } else if (!UnstorableText.isStorable(message.type().name(), Admission.NAME_LIMIT)
                || !UnstorableText.isStorable(message.source(), Admission.NAME_LIMIT)
                || !message.key()
                        .map(key -> UnstorableText.isStorable(key, Admission.NAME_LIMIT))
                        .orElse(true)) {
            over = "a type, source or key that is longer than " + Admission.NAME_LIMIT + " bytes or not text";
        }
        if (over != null) {
            throw new InboxConfigurationException(
                    "The message cannot be sent to " + inside.name() + ": it has " + over + ". Nothing was written.");
        }
    }
}
