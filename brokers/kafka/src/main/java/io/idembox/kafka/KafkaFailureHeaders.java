// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.Headers;
import io.idembox.Message;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * Translates the headers of a failed message from the inbox's broker-neutral ones to those of Spring Kafka, which
 * {@link DeadLetterRecord} and other readers of Spring's dead-letter topics understand.
 */
final class KafkaFailureHeaders {

    /** Prefix of the inbox's own headers; they are not published. */
    private static final String IDEMBOX_PREFIX = "idembox-dead-";

    private static final String SPRING_PREFIX = "kafka_dlt-";

    private KafkaFailureHeaders() {}

    static boolean arePresent(Headers headers) {
        return headers.all().stream().anyMatch(KafkaFailureHeaders::isOwn);
    }

    /** The headers of the original message. */
    static Headers without(Headers headers) {
        return Headers.of(
                headers.all().stream().filter(header -> !isOwn(header)).toList());
    }

    /** The id of the message that failed, as its consumer identified it. */
    static Optional<String> id(Headers headers) {
        return headers.text(IDEMBOX_PREFIX + "id");
    }

    static Optional<String> source(Headers headers) {
        return headers.text(IDEMBOX_PREFIX + "source");
    }

    private static boolean isOwn(Headers.Header header) {
        return header.name().regionMatches(true, 0, IDEMBOX_PREFIX, 0, IDEMBOX_PREFIX.length());
    }

    /** Appends the headers. In a message that failed twice, the first origin and the last error count. */
    static void add(Message dead, RecordHeaders to) {
        Headers from = dead.headers();
        text(from, "channel", to, "original-topic");
        number(from, "partition")
                .ifPresent(partition -> to.add(
                        SPRING_PREFIX + "original-partition",
                        ByteBuffer.allocate(Integer.BYTES)
                                .putInt((int) partition)
                                .array()));
        number(from, "offset").ifPresent(offset -> to.add(SPRING_PREFIX + "original-offset", binary(offset)));
        sentAt(dead).map(Instant::toEpochMilli).filter(millis -> millis >= 0).ifPresent(millis -> {
            to.add(SPRING_PREFIX + "original-timestamp", binary(millis));
            to.add(SPRING_PREFIX + "original-timestamp-type", bytes(TimestampType.CREATE_TIME.toString()));
        });
        text(from, "consumer", to, "original-consumer-group");
        text(from, "error-class", to, "exception-fqcn");
        text(from, "error", to, "exception-message");
        text(from, "stack", to, "exception-stacktrace");
    }

    private static void text(Headers from, String neutral, RecordHeaders to, String conventional) {
        from.text(IDEMBOX_PREFIX + neutral).ifPresent(value -> to.add(SPRING_PREFIX + conventional, bytes(value)));
    }

    private static OptionalLong number(Headers from, String neutral) {
        try {
            String text = from.text(IDEMBOX_PREFIX + neutral).orElse("");
            return text.isBlank() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException odd) {
            // Not usable as a position; the other headers are still published.
            return OptionalLong.empty();
        }
    }

    private static Optional<Instant> sentAt(Message dead) {
        try {
            return dead.headers()
                    .text(IDEMBOX_PREFIX + "time")
                    .map(text -> Instant.parse(text.strip()))
                    .or(dead::time);
        } catch (DateTimeException odd) {
            return dead.time();
        }
    }

    private static byte[] binary(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
