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
 * What the inbox says about a message that it gave up, in the words of Spring Kafka. The inbox knows no broker and writes text;
 * {@link DeadLetterRecord} reads what is written here, and so does everybody who knows Spring's dead-letter topics.
 */
final class KafkaFailureHeaders {

    /** The inbox's own words begin like this; they are left out of what is published. */
    private static final String NEUTRAL = "idembox-dead-";

    private static final String CONVENTIONAL = "kafka_dlt-";

    private KafkaFailureHeaders() {}

    static boolean areIn(Headers headers) {
        return headers.all().stream().anyMatch(KafkaFailureHeaders::isNeutral);
    }

    /** The headers that the message had when it first came. */
    static Headers without(Headers headers) {
        return Headers.of(
                headers.all().stream().filter(header -> !isNeutral(header)).toList());
    }

    /** The id of the message that failed, as its consumer found it. */
    static Optional<String> id(Headers headers) {
        return headers.text(NEUTRAL + "id");
    }

    static Optional<String> source(Headers headers) {
        return headers.text(NEUTRAL + "source");
    }

    private static boolean isNeutral(Headers.Header header) {
        return header.name().regionMatches(true, 0, NEUTRAL, 0, NEUTRAL.length());
    }

    /** Behind those that are there: of a message that was given up before, the first origin counts and the last error. */
    static void add(Message dead, RecordHeaders to) {
        Headers from = dead.headers();
        text(from, "channel", to, "original-topic");
        number(from, "partition")
                .ifPresent(partition -> to.add(
                        CONVENTIONAL + "original-partition",
                        ByteBuffer.allocate(Integer.BYTES)
                                .putInt((int) partition)
                                .array()));
        number(from, "offset").ifPresent(offset -> to.add(CONVENTIONAL + "original-offset", binary(offset)));
        sentAt(dead).map(Instant::toEpochMilli).filter(millis -> millis >= 0).ifPresent(millis -> {
            to.add(CONVENTIONAL + "original-timestamp", binary(millis));
            to.add(CONVENTIONAL + "original-timestamp-type", bytes(TimestampType.CREATE_TIME.toString()));
        });
        text(from, "consumer", to, "original-consumer-group");
        text(from, "error-class", to, "exception-fqcn");
        text(from, "error", to, "exception-message");
        text(from, "stack", to, "exception-stacktrace");
    }

    private static void text(Headers from, String neutral, RecordHeaders to, String conventional) {
        from.text(NEUTRAL + neutral).ifPresent(value -> to.add(CONVENTIONAL + conventional, bytes(value)));
    }

    private static OptionalLong number(Headers from, String neutral) {
        try {
            String text = from.text(NEUTRAL + neutral).orElse("");
            return text.isBlank() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException odd) {
            // Nobody can find it by that; the rest is worth having.
            return OptionalLong.empty();
        }
    }

    private static Optional<Instant> sentAt(Message dead) {
        try {
            return dead.headers()
                    .text(NEUTRAL + "time")
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
