// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.EventType;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.policy.EventTypes;
import io.idembox.policy.Identity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Converts messages to Kafka records: CloudEvents in binary mode, with the message's own headers unchanged. {@link
 * KafkaMessages} reads the same message from them.
 *
 * <p>The message's id, source, type, time and content type win over a header of the same meaning: a handler may copy
 * the headers of the message it handled, and its own message must not be published under that id, where readers would
 * drop it as a duplicate. All other headers of the message win over derived ones.
 *
 * <p>A dead letter is published as it was received, so that readers find its original identity: only headers that
 * cannot be derived from it are added.
 */
final class KafkaRecords {

    /** The last instant in the format of CloudEvents. Times before 1970 are left out as well. */
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

    private KafkaRecords() {}

    static ProducerRecord<byte[], byte[]> of(String topic, String destination, Message message) {
        boolean dead = KafkaFailureHeaders.arePresent(message.headers());
        Headers own = dead ? KafkaFailureHeaders.without(message.headers()) : message.headers();
        HeaderBuilder builder = new HeaderBuilder(own);
        if (dead) {
            addMissingHeaders(message, destination, builder);
        } else {
            addCloudEventHeaders(message, destination, builder);
        }
        RecordHeaders headers = new RecordHeaders();
        builder.headers().all().forEach(header -> headers.add(header.name(), header.value()));
        if (dead) {
            KafkaFailureHeaders.add(message, headers);
        }
        return new ProducerRecord<>(
                topic,
                null,
                // Kafka's timestamp is the time of publication. With the message's own time, the topic's retention
                // could delete an old message before it is read. The message's time is in ce_time.
                null,
                message.key().map(KafkaMessages::keyBytes).orElse(null),
                valueOf(message.payload()),
                headers);
    }

    private static void addCloudEventHeaders(Message message, String destination, HeaderBuilder builder) {
        Payload payload = message.payload();
        if (!isStructured(payload)) {
            builder.addIfAbsent("ce_specversion", "1.0");
            // Without an id of its own, its headers identify it.
            message.id().ifPresent(id -> addIdentity(id, message, destination, builder));
            builder.replace("ce_type", message.type().name());
            timeOf(message).ifPresent(time -> builder.replace("ce_time", time.toString()));
        }
        if (!payload.isTombstone() && !payload.contentType().isBlank()) {
            builder.replace("content-type", payload.contentType());
        }
        addVersion(message, builder);
        copyTraceHeader("traceparent", builder);
        copyTraceHeader("tracestate", builder);
    }

    /** Adds as little as possible: each consumer identifies the message by its own strategy. */
    private static void addMissingHeaders(Message message, String destination, HeaderBuilder builder) {
        Payload payload = message.payload();
        Payload found = KafkaMessages.payloadOf(valueOf(payload), builder.headers());
        if (!found.equals(payload) && !payload.contentType().isBlank()) {
            builder.replace("content-type", payload.contentType());
        }
        if (Identity.standard()
                .of(Message.withoutId(builder.headers(), payload).from(message.source()))
                .isEmpty()) {
            // The identity of the message that failed; message.id() is the id of the dead letter.
            Message failed = KafkaFailureHeaders.source(message.headers())
                    .map(message::from)
                    .orElse(message);
            KafkaFailureHeaders.id(message.headers()).or(message::id).ifPresent(id -> {
                builder.addIfAbsent("ce_specversion", "1.0");
                addIdentity(id, failed, destination, builder);
            });
        }
        EventType read = EventTypes.standard(builder.headers(), payload);
        if (!read.name().equals(message.type().name())) {
            builder.replace("ce_type", message.type().name());
        }
        addVersion(message, builder);
    }

    private static void addIdentity(String id, Message message, String destination, HeaderBuilder builder) {
        builder.replace("ce_id", id);
        builder.replace("ce_source", message.source().isEmpty() ? "/" + destination : message.source());
    }

    private static void addVersion(Message message, HeaderBuilder builder) {
        int version = message.type().version();
        if (EventTypes.standard(builder.headers(), message.payload()).version() != version) {
            builder.replace("event-version", String.valueOf(version));
        }
    }

    /** Copies a trace header to its CloudEvents name; tracers read the original one. */
    private static void copyTraceHeader(String name, HeaderBuilder builder) {
        builder.headers().text(name).ifPresent(value -> builder.addIfAbsent("ce_" + name, value));
    }

    private static boolean isStructured(Payload payload) {
        return payload.contentType().toLowerCase(Locale.ROOT).startsWith("application/cloudevents");
    }

    private static Optional<Instant> timeOf(Message message) {
        return message.time().filter(time -> !time.isBefore(Instant.EPOCH) && !time.isAfter(LAST));
    }

    private static byte @Nullable [] valueOf(Payload payload) {
        return payload.isTombstone() ? null : payload.bytes();
    }

    /** The derived headers, followed by the message's own. Not thread-safe. */
    private static final class HeaderBuilder {

        private final List<Headers.Header> derived = new ArrayList<>();
        private final List<Headers.Header> own;

        HeaderBuilder(Headers own) {
            this.own = new ArrayList<>(own.all());
        }

        Headers headers() {
            List<Headers.Header> all = new ArrayList<>(derived);
            all.addAll(own);
            return Headers.of(all);
        }

        void addIfAbsent(String name, String value) {
            if (headers().text(name).isEmpty()) {
                derived.add(Headers.Header.of(name, value));
            }
        }

        /** Replaces the header; one with the same value stays unchanged and in its position. */
        void replace(String name, String value) {
            if (!headers().text(name).equals(Optional.of(value))) {
                own.removeIf(header -> header.name().equalsIgnoreCase(name));
                derived.add(Headers.Header.of(name, value));
            }
        }
    }
}
