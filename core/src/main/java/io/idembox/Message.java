// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message as sent by its producer. Immutable and thread-safe; methods such as {@link #from} return a changed copy.
 *
 * <pre>{@code
 * Message.of("evt-456", "OrderPlaced", "{\"orderId\":\"42\"}").from("/orders").keyed("42");
 * }</pre>
 */
public final class Message {

    private final @Nullable String id;
    private final String source;
    private final EventType type;
    private final @Nullable String key;
    private final Headers headers;
    private final Payload payload;
    private final Origin origin;

    private record Origin(@Nullable Instant time, @Nullable Position position) {
        static final Origin UNKNOWN = new Origin(null, null);
    }

    private Message(
            @Nullable String id,
            String source,
            EventType type,
            @Nullable String key,
            Headers headers,
            Payload payload,
            Origin origin) {
        this.id = id;
        this.source = Objects.requireNonNull(source, "source");
        this.type = Objects.requireNonNull(type, "type");
        this.key = key;
        this.headers = Objects.requireNonNull(headers, "headers");
        this.payload = Objects.requireNonNull(payload, "payload");
        this.origin = origin;
    }

    /** Creates a message with a JSON payload, version 1 of its type and the source {@code ""}. */
    public static Message of(String id, String type, String json) {
        return of(id, type, Payload.json(json));
    }

    public static Message of(String id, String type, Payload payload) {
        return new Message(
                Objects.requireNonNull(id, "id"),
                "",
                new EventType(type, 1),
                null,
                Headers.none(),
                payload,
                Origin.UNKNOWN);
    }

    /**
     * Creates a message without an id; the consumer's identity strategy has to find one in the headers or the payload.
     */
    public static Message withoutId(Headers headers, Payload payload) {
        return new Message(null, "", EventType.UNKNOWN, null, headers, payload, Origin.UNKNOWN);
    }

    public Message from(String newSource) {
        return new Message(id, newSource, type, key, headers, payload, origin);
    }

    public Message typed(String name, int version) {
        return new Message(id, source, new EventType(name, version), key, headers, payload, origin);
    }

    /** Sets the key by which order is kept, such as an account or an order. */
    public Message keyed(String newKey) {
        return new Message(id, source, type, newKey, headers, payload, origin);
    }

    public Message header(String name, String value) {
        return new Message(id, source, type, key, headers.with(name, value), payload, origin);
    }

    public Message headers(Headers newHeaders) {
        return new Message(id, source, type, key, newHeaders, payload, origin);
    }

    public Message sentAt(Instant time) {
        return new Message(id, source, type, key, headers, payload, new Origin(time, origin.position));
    }

    public Message at(Position position) {
        return new Message(id, source, type, key, headers, payload, new Origin(origin.time, position));
    }

    public Message payload(Payload newPayload) {
        return new Message(id, source, type, key, headers, newPayload, origin);
    }

    /** The id set by the broker adapter; empty when the identity strategy has to find it. */
    public Optional<String> id() {
        return Optional.ofNullable(id);
    }

    public String source() {
        return source;
    }

    public EventType type() {
        return type;
    }

    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    public Headers headers() {
        return headers;
    }

    public Payload payload() {
        return payload;
    }

    /** The time when the producer sent it, if known. */
    public Optional<Instant> time() {
        return Optional.ofNullable(origin.time);
    }

    public Optional<Position> position() {
        return Optional.ofNullable(origin.position);
    }

    /** Formats the message for logs and errors, without payload, header values or key; long parts are shortened. */
    @Override
    public String toString() {
        String where = origin.position == null ? "" : " at " + origin.position;
        return Abbreviated.text(source) + "/" + (id == null ? "(no id)" : Abbreviated.text(id)) + " (" + type + ")"
                + where;
    }
}
