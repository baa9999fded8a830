// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Limits;
import io.idembox.policy.SequencePolicy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Before any SQL: messages become candidates with an identity, or are refused. Bad input never reaches the database as
 * something it cannot store, and never loops: it is parked with its bytes, or refused by policy. Thread-safe.
 */
final class Admission {

    private static final Logger log = LoggerFactory.getLogger(Admission.class);

    /** Sources, types and keys, in bytes. */
    static final int NAME_LIMIT = 1_000;

    static final int ID_LIMIT = 8_192;

    private static final String SEND_AGAIN =
            "It is parked and was not handled. Fix the producer, let it send the message again, then discard it.";

    private final RegisteredConsumer consumer;
    private final EventPublisher events;
    private final MessageIdentifier messageIdentifier;
    private final IdQuality quality;
    private final InstantSource clock;
    private final AtomicBoolean weaknessSaid = new AtomicBoolean();

    Admission(RegisteredConsumer consumer, InstantSource clock, EventPublisher events) {
        this.consumer = consumer;
        this.clock = clock;
        this.events = events;
        this.messageIdentifier =
                new MessageIdentifier(consumer.name(), consumer.policy().identity());
        this.quality = new IdQuality(consumer.name(), events);
    }

    /**
     * What was let in.
     *
     * @param incomings no two of them with the same identity
     * @param refused answers by place
     * @param twins messages that repeat an earlier one of the batch: their place, and the place of the first
     * @param clashes messages that share an id with an earlier one, but not the payload or not both of their ids: they
     *     follow when that one is settled
     */
    record Admitted(
            List<IncomingMessage> incomings,
            Map<Integer, Receipt> refused,
            Map<Integer, Integer> twins,
            Map<IncomingMessage, Integer> clashes) {

        /** The same, where messages behind one of their key that is refused and has to be delivered again wait for it. */
        Admitted inOrder(List<Message> messages, ConsumerPolicy policy) {
            Map<String, Integer> released = new HashMap<>();
            refused.forEach((nth, receipt) -> {
                if (!receipt.acknowledges()) {
                    messages.get(nth).key().ifPresent(key -> released.merge(key, nth, Math::min));
                }
            });
            Map<Integer, Receipt> answers = new HashMap<>(refused);
            List<IncomingMessage> free = new ArrayList<>(incomings.size());
            for (IncomingMessage incoming : incomings) {
                Integer inFront = incoming.message().key().map(released::get).orElse(null);
                if (inFront != null
                        && inFront < incoming.nth()
                        && HeldKeys.keepsOrder(policy, incoming.task().isRegistered())) {
                    answers.put(incoming.nth(), HeldKeys.behind(Objects.requireNonNull(refused.get(inFront))));
                } else {
                    free.add(incoming);
                }
            }
            return new Admitted(free, answers, twins, clashes);
        }
    }

    Admitted admit(List<Message> messages, Function<Message, HandlerTask> tasks) {
        Admitted admitted =
                new Admitted(new ArrayList<>(messages.size()), new HashMap<>(), new HashMap<>(), new HashMap<>());
        Map<MessageId, IncomingMessage> firsts = new HashMap<>();
        for (int nth = 0; nth < messages.size(); nth++) {
            Message message = messages.get(nth);
            MessageIdentifier.Named named = messageIdentifier.name(message);
            Receipt refusal = refusalOf(message, named);
            if (refusal != null) {
                admitted.refused.put(nth, refusal);
                continue;
            }
            IncomingMessage incoming = candidateOf(nth, message, named, tasks);
            IncomingMessage first = firstOf(incoming, firsts);
            if (named.flaw() == null) {
                quality.look(incoming, clock.instant());
            }
            if (first == null) {
                admitted.incomings.add(incoming);
            } else if (first.id().equals(incoming.id()) && first.variant().equals(incoming.variant())) {
                admitted.twins.put(nth, first.nth());
            } else {
                admitted.clashes.put(incoming, first.nth());
            }
        }
        return admitted;
    }

    /** The message of this batch that has one of the candidate's ids already; null when it is the first. */
    private static @Nullable IncomingMessage firstOf(IncomingMessage incoming, Map<MessageId, IncomingMessage> firsts) {
        IncomingMessage first = firsts.get(incoming.id());
        if (first == null && incoming.otherId() != null) {
            first = firsts.get(incoming.otherId());
        }
        if (first == null) {
            firsts.put(incoming.id(), incoming);
            if (incoming.otherId() != null) {
                firsts.put(incoming.otherId(), incoming);
            }
        }
        return first;
    }

    /** What policy or size keep out altogether; null for everything that gets an identity. */
    private @Nullable Receipt refusalOf(Message message, MessageIdentifier.Named named) {
        if (message.payload().size() > Limits.HARD_PAYLOAD_BYTES) {
            return Receipt.refused(
                    message + " has a payload of " + message.payload().size() + " bytes, more than the "
                            + Limits.HARD_PAYLOAD_BYTES + " that can be kept. It was not acknowledged; send a reference"
                            + " to the payload instead.",
                    false);
        }
        if (named.flaw() == null) {
            return null;
        }
        String why = message + " has " + named.flaw().words();
        return switch (consumer.policy().identity().missing()) {
            case RELEASE -> Receipt.refused(why + "; it was not acknowledged (identity.missing: release)", false);
            case DROP -> Receipt.refused(why + "; it was acknowledged and is gone (identity.missing: drop)", true);
            case PARK, DERIVE -> null;
        };
    }

    /** The id of the message in the ledger: its own, its position, or a digest. */
    MessageId identityOf(Message message) {
        return messageIdentifier.name(message).id();
    }

    /** Whether it has another id under the strategy that is being replaced. */
    boolean hasTwoIds(Message message) {
        return messageIdentifier.name(message).otherId() != null;
    }

    private IncomingMessage candidateOf(
            int nth, Message message, MessageIdentifier.Named named, Function<Message, HandlerTask> tasks) {
        Long sequenceNumber = placeOf(message);
        UnstorableText flaw = named.flaw();
        HandlerTask task;
        if (flaw == null || named.derived()) {
            task = jobOf(message, sequenceNumber, tasks);
        } else if (flaw.reason().equals(UnstorableText.NO_ID)) {
            task = doomed(
                    flaw.reason(),
                    message + " has " + flaw.words()
                            + ", so nothing identifies it. It is parked and was not handled. Let"
                            + " the producer set one, or choose another identity strategy, then redrive it.");
        } else {
            task = doomed(flaw.reason(), message + " has " + flaw.words() + ". " + SEND_AGAIN);
        }
        if (flaw != null && named.derived()) {
            reportWeak(message, named.id(), flaw);
        }
        UUID variant = consumer.policy().identity().fingerprint().of(message.payload());
        return new IncomingMessage(nth, message, named.id(), named.otherId(), variant, sequenceNumber, task);
    }

    /** Its place in the sequence of its key; null where none is guarded, and for one that does not say. */
    @Nullable
    Long placeOf(Message message) {
        SequencePolicy sequence = consumer.policy().sequence();
        if (sequence == null || message.key().isEmpty()) {
            return null;
        }
        try {
            // Nothing can be in front of the lowest number there is, so it is none.
            return sequence.number()
                    .of(message)
                    .filter(sequenceNumber -> sequenceNumber > Long.MIN_VALUE)
                    .orElse(null);
        } catch (RuntimeException thrown) {
            log.warn(
                    "Consumer {}: looking for the place of {} failed with {}; it is treated as one without place.",
                    consumer.name(),
                    message,
                    thrown.getClass().getName());
            return null;
        }
    }

    private HandlerTask jobOf(Message message, @Nullable Long sequenceNumber, Function<Message, HandlerTask> tasks) {
        Limits limits = consumer.policy().limits();
        Headers headers = message.headers();
        String over = null;
        if (message.payload().size() > limits.payloadBytes()) {
            over = "a payload of " + message.payload().size() + " bytes (limits.payload-bytes is "
                    + limits.payloadBytes() + ")";
        } else if (headers.all().size() > limits.headerCount() || headers.size() > limits.headerBytes()) {
            over = headers.all().size() + " headers of " + headers.size() + " bytes (limits.header-count is "
                    + limits.headerCount() + ", limits.header-bytes is " + limits.headerBytes() + ")";
        }
        if (over != null) {
            return doomed(
                    UnstorableText.OVER_LIMIT,
                    message + " has " + over + ". It is parked and was not handled. Raise the limit and redrive it, or"
                            + " discard it.");
        }
        Optional<UnstorableText> flaw = UnstorableText.of(
                        "a type", message.type().name(), NAME_LIMIT)
                .or(() -> message.key().flatMap(key -> UnstorableText.of("a key", key, NAME_LIMIT)));
        if (flaw.isPresent()) {
            return doomed(flaw.get().reason(), message + " has " + flaw.get().words() + ". " + SEND_AGAIN);
        }
        if (sequenceNumber == null && consumer.policy().sequence() != null) {
            return doomed(
                    "NO_SEQUENCE",
                    message + " has no key, or does not say which place it has among those of its key. It is parked and"
                            + " was not handled. Let the producer set it; a redrive runs it regardless of the sequence.");
        }
        return tasks.apply(message);
    }

    private static HandlerTask doomed(String reason, String words) {
        return new HandlerTask.Doomed(ErrorText.refusal(Failure.Kind.PARK, reason, words), reason);
    }

    private void reportWeak(Message message, MessageId id, UnstorableText flaw) {
        events.tell(new InboxEvent.WeakIdentity(consumer.name(), id));
        if (weaknessSaid.compareAndSet(false, true)) {
            log.warn(
                    "Consumer {}: {} has {}; using topic/partition/offset. This absorbs redelivery, not producer retries."
                            + " Let the producer set an id.",
                    consumer.name(),
                    message,
                    flaw.words());
        }
    }
}
