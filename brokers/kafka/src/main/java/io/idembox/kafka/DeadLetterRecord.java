// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.admin.DeadLetter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A record of a dead-letter topic, restored to the original record.
 *
 * @param deadLetter the restored message; null when the headers do not name its origin
 * @param group the group that wrote the dead letter; null when the headers do not name it
 * @param error why it cannot be restored; null when it can
 */
record DeadLetterRecord(
        @Nullable DeadLetter deadLetter,
        @Nullable String group,
        @Nullable String error) {

    private static final String SPRING = "kafka_dlt-";
    private static final String SMALLRYE = "dead-letter-";

    /** Prefixes of headers that Spring Kafka adds in its retry topics, and when a payload cannot be read. */
    private static final Set<String> SPRING_HEADERS = Set.of(SPRING, "retry_topic-", "springDeserializerException");

    private static final Set<String> SMALLRYE_HEADERS = Set.of(
            SMALLRYE + "reason",
            SMALLRYE + "cause",
            SMALLRYE + "topic",
            SMALLRYE + "partition",
            SMALLRYE + "offset",
            SMALLRYE + "exception-class-name",
            SMALLRYE + "cause-class-name");

    private static final String UNKNOWN = "unknown";

    static DeadLetterRecord of(ConsumerRecord<byte[], byte[]> record) {
        Headers headers = record.headers();
        try {
            if (headers.lastHeader(SPRING + "original-topic") != null) {
                return spring(record, headers);
            }
            if (headers.lastHeader(SMALLRYE + "topic") != null) {
                return smallrye(record, headers);
            }
        } catch (IllegalArgumentException unreadable) {
            return unreadable(String.valueOf(unreadable.getMessage()));
        }
        return unreadable("it has neither " + SPRING + "original-topic nor " + SMALLRYE
                + "topic among its headers, so its origin is unknown");
    }

    private static DeadLetterRecord unreadable(String why) {
        return new DeadLetterRecord(null, null, why);
    }

    /** Numbers are binary. In a record that went through several topics, the first header is that of the original. */
    private static DeadLetterRecord spring(ConsumerRecord<byte[], byte[]> record, Headers headers) {
        Origin origin = new Origin(
                text(first(headers, SPRING + "original-topic")),
                number(first(headers, SPRING + "original-partition"), Integer.BYTES),
                number(first(headers, SPRING + "original-offset"), Long.BYTES),
                headers.lastHeader(SPRING + "original-timestamp") == null
                        ? ConsumerRecord.NO_TIMESTAMP
                        : number(first(headers, SPRING + "original-timestamp"), Long.BYTES));
        String wrapper = last(headers, SPRING + "exception-fqcn")
                .or(() -> last(headers, SPRING + "key-exception-fqcn"))
                .orElse(UNKNOWN);
        DeadLetter delivery = new DeadLetter(
                KafkaMessages.of(origin.restore(record)),
                // The cause: Spring's own wrapper around a listener's exception carries no information.
                last(headers, SPRING + "exception-cause-fqcn").orElse(wrapper),
                last(headers, SPRING + "exception-message")
                        .or(() -> last(headers, SPRING + "key-exception-message"))
                        .orElse("(no message)"),
                last(headers, SPRING + "exception-stacktrace")
                        .or(() -> last(headers, SPRING + "key-exception-stacktrace"))
                        .orElse(null),
                origin.sentBefore(record));
        return new DeadLetterRecord(
                delivery, last(headers, SPRING + "original-consumer-group").orElse(null), null);
    }

    /** All values are text; there is no stack trace and no timestamp. */
    private static DeadLetterRecord smallrye(ConsumerRecord<byte[], byte[]> record, Headers headers) {
        Origin origin = new Origin(
                text(first(headers, SMALLRYE + "topic")),
                textNumber(first(headers, SMALLRYE + "partition")),
                textNumber(first(headers, SMALLRYE + "offset")),
                ConsumerRecord.NO_TIMESTAMP);
        String reason = last(headers, SMALLRYE + "reason").orElse("(no message)");
        DeadLetter delivery = new DeadLetter(
                KafkaMessages.of(origin.restore(record)),
                last(headers, SMALLRYE + "cause-class-name")
                        .or(() -> last(headers, SMALLRYE + "exception-class-name"))
                        .orElse(UNKNOWN),
                last(headers, SMALLRYE + "cause")
                        .map(cause -> reason + ", caused by " + cause)
                        .orElse(reason),
                null,
                origin.sentBefore(record));
        return new DeadLetterRecord(delivery, null, null);
    }

    /** The position of the original record. */
    private record Origin(String topic, long partition, long offset, long timestamp) {

        Origin {
            if (topic.isBlank() || partition < 0 || partition > Integer.MAX_VALUE || offset < 0) {
                throw new IllegalArgumentException("its headers name an invalid origin: topic '" + printable(topic)
                        + "', partition " + partition + ", offset " + offset);
            }
        }

        /** The time of the original record; else that of the dead letter, which was written later. */
        @Nullable
        Instant sentBefore(ConsumerRecord<byte[], byte[]> dead) {
            long known = timestamp < 0 || (dead.timestamp() >= 0 && dead.timestamp() < timestamp)
                    ? dead.timestamp()
                    : timestamp;
            return known < 0 ? null : Instant.ofEpochMilli(known);
        }

        ConsumerRecord<byte[], byte[]> restore(ConsumerRecord<byte[], byte[]> dead) {
            RecordHeaders own = new RecordHeaders();
            for (Header header : dead.headers()) {
                if (!SMALLRYE_HEADERS.contains(header.key())
                        && SPRING_HEADERS.stream().noneMatch(header.key()::startsWith)) {
                    own.add(header);
                }
            }
            return new ConsumerRecord<>(
                    topic,
                    (int) partition,
                    offset,
                    timestamp,
                    TimestampType.CREATE_TIME,
                    dead.serializedKeySize(),
                    dead.serializedValueSize(),
                    dead.key(),
                    dead.value(),
                    own,
                    Optional.empty());
        }
    }

    /** Makes foreign text safe for logs. */
    private static String printable(String text) {
        String one = text.replaceAll("\\p{Cntrl}", "?");
        return one.length() <= 249 ? one : one.substring(0, 249) + "…";
    }

    private static Header first(Headers headers, String name) {
        Iterator<Header> all = headers.headers(name).iterator();
        if (!all.hasNext()) {
            throw new IllegalArgumentException("its header " + name + " is missing");
        }
        return all.next();
    }

    private static Optional<String> last(Headers headers, String name) {
        return Optional.ofNullable(headers.lastHeader(name))
                .map(DeadLetterRecord::text)
                .filter(text -> !text.isBlank());
    }

    private static String text(Header header) {
        byte[] value = header.value();
        return value == null ? "" : new String(value, StandardCharsets.UTF_8);
    }

    private static long number(Header header, int bytes) {
        byte[] value = header.value();
        if (value == null || value.length != bytes) {
            throw new IllegalArgumentException(
                    "its header " + header.key() + " is not a number of " + bytes + " bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(value);
        return bytes == Integer.BYTES ? buffer.getInt() : buffer.getLong();
    }

    private static long textNumber(Header header) {
        try {
            return Long.parseLong(text(header).strip());
        } catch (NumberFormatException odd) {
            throw new IllegalArgumentException("its header " + header.key() + " is not a number", odd);
        }
    }
}
