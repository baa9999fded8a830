// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.policy.EventTypes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Converts Kafka records to messages. The source is the topic, unless the identity strategy finds another one, as in a
 * CloudEvent. A null value becomes a tombstone. Header values stay bytes.
 */
public final class KafkaMessages {

    private static final String BINARY = "base64:";

    private KafkaMessages() {}

    public static Message of(ConsumerRecord<byte[], byte[]> record) {
        Headers headers = headersOf(record.headers());
        Payload payload = payloadOf(record.value(), headers);
        Message message = Message.withoutId(headers, payload)
                .from(record.topic())
                .at(new Position(record.topic(), record.partition(), record.offset()));
        var type = EventTypes.standard(headers, payload);
        message = message.typed(type.name(), type.version());
        if (record.key() != null) {
            message = message.keyed(text(record.key()));
        }
        Instant time = timeOf(record, headers);
        return time == null ? message : message.sentAt(time);
    }

    /** The time of the event ({@code ce_time}); else that of the record. */
    private static @Nullable Instant timeOf(ConsumerRecord<byte[], byte[]> record, Headers headers) {
        String said = headers.text("ce_time").orElse(null);
        if (said != null) {
            try {
                return OffsetDateTime.parse(said).toInstant();
            } catch (DateTimeParseException odd) {
                // An unreadable header must not fail the message.
            }
        }
        return record.timestamp() < 0 ? null : Instant.ofEpochMilli(record.timestamp());
    }

    private static Headers headersOf(Iterable<Header> headers) {
        List<Headers.Header> all = new ArrayList<>();
        for (Header header : headers) {
            byte[] value = header.value();
            all.add(Headers.Header.of(header.key(), value == null ? new byte[0] : value));
        }
        return Headers.of(all);
    }

    static Payload payloadOf(byte @Nullable [] value, Headers headers) {
        if (value == null) {
            return Payload.tombstone();
        }
        String type = headers.text("content-type")
                .or(() -> headers.text("contentType"))
                .filter(text -> !text.isBlank())
                .orElseGet(() -> looksLikeJson(value) ? Payload.JSON : Payload.BINARY);
        return Payload.of(value, type);
    }

    private static boolean looksLikeJson(byte[] value) {
        for (byte b : value) {
            if (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
                continue;
            }
            return b == '{' || b == '[';
        }
        return false;
    }

    /**
     * Converts a key to text. A key that is not UTF-8 text, such as an eight-byte number, becomes Base64, so that
     * different keys stay different.
     */
    private static String text(byte[] key) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
            return text.indexOf('\0') >= 0 || text.startsWith(BINARY) ? binary(key) : text;
        } catch (CharacterCodingException odd) {
            return binary(key);
        }
    }

    /** The bytes of a key, the reverse of {@link #of}; text that only looks like a binary key is text. */
    static byte[] keyBytes(String key) {
        if (key.startsWith(BINARY)) {
            try {
                byte[] bytes = Base64.getDecoder().decode(key.substring(BINARY.length()));
                if (text(bytes).equals(key)) {
                    return bytes;
                }
            } catch (IllegalArgumentException text) {
                // A text key that happens to start with the prefix.
            }
        }
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private static String binary(byte[] key) {
        return BINARY + Base64.getEncoder().encodeToString(key);
    }
}
