// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.Limits;
import io.idembox.policy.MissingId;
import io.idembox.policy.SequencePolicy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /** The stream that messages without a usable id are parked under. */
    private static final String UNIDENTIFIED = "idembox:unidentified";

    static final int NAME_LIMIT = 1_000;
    static final int ID_LIMIT = 8_192;

    private final Consumer consumer;
    private final Events events;
    private final IdQuality quality;
    private final InstantSource clock;
    private final AtomicBoolean weaknessSaid = new AtomicBoolean();

    Admission(Consumer consumer, InstantSource clock, Events events) {
        this.consumer = consumer;
        this.clock = clock;
        this.events = events;
        this.quality = new IdQuality(consumer.name(), events);
    }

    /**
     * What was let in.
     *
     * @param candidates no two of them with the same identity
     * @param refused answers by place
     * @param twins messages that repeat an earlier one of the batch: their place, and the place of the first
     * @param clashes messages that share an id with an earlier one, but not the payload or not both of their ids: they
     *     follow when that one is settled
     */
    record Admitted(
            List<Candidate> candidates,
            Map<Integer, Receipt> refused,
            Map<Integer, Integer> twins,
            Map<Candidate, Integer> clashes) {}

    Admitted admit(List<Message> messages, Function<Message, Job> jobs) {
        Admitted admitted =
                new Admitted(new ArrayList<>(messages.size()), new HashMap<>(), new HashMap<>(), new HashMap<>());
        Map<MessageId, Candidate> firsts = new HashMap<>();
        for (int nth = 0; nth < messages.size(); nth++) {
            Message message = messages.get(nth);
            Receipt refusal = refusalOf(message);
            if (refusal != null) {
                admitted.refused.put(nth, refusal);
                continue;
            }
            Candidate candidate = candidateOf(nth, message, jobs);
            Candidate first = firstOf(candidate, firsts);
            quality.look(candidate, clock.instant());
            if (first == null) {
                admitted.candidates.add(candidate);
            } else if (first.id().equals(candidate.id()) && first.variant().equals(candidate.variant())) {
                admitted.twins.put(nth, first.nth());
            } else {
                admitted.clashes.put(candidate, first.nth());
            }
        }
        return admitted;
    }

    /** The message of this batch that has one of the candidate's ids already; null when it is the first. */
    private static @Nullable Candidate firstOf(Candidate candidate, Map<MessageId, Candidate> firsts) {
        Candidate first = firsts.get(candidate.id());
        if (first == null && candidate.previousId() != null) {
            first = firsts.get(candidate.previousId());
        }
        if (first == null) {
            firsts.put(candidate.id(), candidate);
            if (candidate.previousId() != null) {
                firsts.put(candidate.previousId(), candidate);
            }
        }
        return first;
    }

    /** What policy or size keep out altogether; null for everything that gets an identity. */
    private @Nullable Receipt refusalOf(Message message) {
        if (message.payload().size() > Limits.HARD_PAYLOAD_BYTES) {
            return Receipt.refused(
                    message + " has a payload of " + message.payload().size() + " bytes, more than the "
                            + Limits.HARD_PAYLOAD_BYTES + " that can be kept. It was not acknowledged; send a reference"
                            + " to the payload instead.",
                    false);
        }
        if (identify(consumer.policy().identity().strategy(), message).isPresent()) {
            return null;
        }
        String why = message + " has no usable id";
        return switch (consumer.policy().identity().missing()) {
            case RELEASE -> Receipt.refused(why + "; it was not acknowledged (identity.missing: release)", false);
            case DROP -> Receipt.refused(why + "; it was acknowledged and is gone (identity.missing: drop)", true);
            case PARK, DERIVE -> null;
        };
    }

    /** Who the message is in the ledger, whether it says so itself or not. */
    MessageId identityOf(Message message) {
        IdentityPolicy identity = consumer.policy().identity();
        return identify(identity.strategy(), message)
                .orElseGet(() -> identify(Identity.position(), message)
                        .filter(position -> identity.missing() == MissingId.DERIVE)
                        .orElseGet(() -> unidentified(message)));
    }

    /** What a message without a usable id is kept under: the same one gives the same. */
    private MessageId unidentified(Message message) {
        return new MessageId(
                UNIDENTIFIED,
                identify(Identity.position(), message).map(MessageId::toString).orElseGet(() -> digestOf(message)));
    }

    /** Whether it has another id under the strategy that is being replaced. */
    boolean hasTwoIds(Message message) {
        return identify(consumer.policy().identity().strategy(), message)
                .filter(id -> previousOf(message, id) != null)
                .isPresent();
    }

    /** Who it is under the strategy that is being replaced; null when nothing is, or it is the same there. */
    private @Nullable MessageId previousOf(Message message, MessageId id) {
        return consumer.policy()
                .identity()
                .previousIfAny()
                .flatMap(older -> identify(older, message))
                .filter(older -> !older.equals(id))
                .orElse(null);
    }

    private Candidate candidateOf(int nth, Message message, Function<Message, Job> jobs) {
        IdentityPolicy identity = consumer.policy().identity();
        Optional<MessageId> id = identify(identity.strategy(), message);
        @Nullable Long place = placeOf(message);
        Job job = jobOf(message, place, jobs);
        if (id.isPresent()) {
            MessageId previous = previousOf(message, id.get());
            return new Candidate(
                    nth, message, id.get(), previous, identity.fingerprint().of(message.payload()), place, job);
        }
        Optional<MessageId> position = identify(Identity.position(), message);
        if (identity.missing() == MissingId.DERIVE && position.isPresent()) {
            sayWeak(message, position.get());
            return new Candidate(
                    nth, message, position.get(), null, identity.fingerprint().of(message.payload()), place, job);
        }
        Failure failure = ErrorText.refusal(
                Failure.Kind.PARK,
                "NO_ID",
                message + " has no id that identifies it: missing, empty, longer than " + ID_LIMIT
                        + " bytes, or not text. It is parked and was not handled. Let the producer set one, or choose"
                        + " another identity strategy, then redrive it.");
        return new Candidate(
                nth,
                message,
                unidentified(message),
                null,
                identity.fingerprint().of(message.payload()),
                place,
                new Job.Doomed(failure, "NO_ID"));
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
            return sequence.place()
                    .of(message)
                    .filter(place -> place > Long.MIN_VALUE)
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

    private Job jobOf(Message message, @Nullable Long place, Function<Message, Job> jobs) {
        Limits limits = consumer.policy().limits();
        Headers headers = message.headers();
        String over = null;
        if (message.payload().size() > limits.payloadBytes()) {
            over = "a payload of " + message.payload().size() + " bytes (limits.payload-bytes is "
                    + limits.payloadBytes() + ")";
        } else if (headers.all().size() > limits.headerCount() || headers.size() > limits.headerBytes()) {
            over = headers.all().size() + " headers of " + headers.size() + " bytes (limits.header-count is "
                    + limits.headerCount() + ", limits.header-bytes is " + limits.headerBytes() + ")";
        } else if (!isStorable(message.type().name(), NAME_LIMIT)
                || !message.key().map(key -> isStorable(key, NAME_LIMIT)).orElse(true)) {
            over = "a type or key that is longer than " + NAME_LIMIT + " bytes or not text";
        }
        if (over != null) {
            return doomed(
                    "OVER_LIMIT",
                    message + " has " + over + ". It is parked and was not handled. Raise the limit and redrive it, or"
                            + " discard it.");
        }
        if (place == null && consumer.policy().sequence() != null) {
            return doomed(
                    "NO_SEQUENCE",
                    message + " has no key, or does not say which place it has among those of its key. It is parked and"
                            + " was not handled. Let the producer set it; a redrive runs it regardless of the sequence.");
        }
        return jobs.apply(message);
    }

    private static Job doomed(String reason, String words) {
        return new Job.Doomed(ErrorText.refusal(Failure.Kind.PARK, reason, words), reason);
    }

    /** The identity a strategy finds, if it finds one that can be stored. */
    private Optional<MessageId> identify(Identity strategy, Message message) {
        try {
            return strategy.of(message)
                    .filter(id ->
                            !id.id().isEmpty() && isStorable(id.id(), ID_LIMIT) && isStorable(id.source(), NAME_LIMIT));
        } catch (RuntimeException thrown) {
            log.warn(
                    "Consumer {}: the identity strategy failed on {} with {}; the message is treated as one without id.",
                    consumer.name(),
                    message.position().map(Object::toString).orElse("a message"),
                    thrown.getClass().getName());
            return Optional.empty();
        }
    }

    private void sayWeak(Message message, MessageId id) {
        events.tell(new InboxEvent.WeakIdentity(consumer.name(), id));
        if (weaknessSaid.compareAndSet(false, true)) {
            log.warn(
                    "Consumer {}: {} has no ce_id, id or message-id header; using topic/partition/offset. This absorbs"
                            + " redelivery, not producer retries. Let the producer set an id.",
                    consumer.name(),
                    message);
        }
    }

    /** Text that every database keeps as it is: no NUL, no half of a surrogate pair, not too long. */
    static boolean isStorable(String text, int limitBytes) {
        if (text.indexOf('\0') >= 0) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return false;
            }
        }
        // No character of a string takes more than three bytes.
        return text.length() * 3L <= limitBytes
                || (text.length() <= limitBytes && text.getBytes(StandardCharsets.UTF_8).length <= limitBytes);
    }

    /** The same message gives the same name, so that a redelivery finds what was parked. */
    private static String digestOf(Message message) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            add(sha, message.source().getBytes(StandardCharsets.UTF_8));
            add(sha, message.type().toString().getBytes(StandardCharsets.UTF_8));
            add(sha, message.key().orElse("").getBytes(StandardCharsets.UTF_8));
            message.headers().all().forEach(header -> {
                add(sha, header.name().getBytes(StandardCharsets.UTF_8));
                add(sha, header.value());
            });
            sha.update((byte) (message.payload().isTombstone() ? 0 : 1));
            add(sha, message.payload().bytes());
            return "sha256:" + HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    /** The length in front keeps neighbouring parts apart. */
    private static void add(MessageDigest sha, byte[] part) {
        sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        sha.update(part);
    }
}
