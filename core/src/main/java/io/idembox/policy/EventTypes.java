// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.EventType;
import io.idembox.Headers;
import io.idembox.Payload;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the event type of a message. For broker adapters. */
public final class EventTypes {

    private static final List<String> NAMES = List.of(
            "ce_type",
            "cloudEvents_type",
            "cloudEvents:type",
            "ce-type",
            "type",
            "event-type",
            "eventType",
            "__TypeId__");
    private static final List<String> VERSIONS = List.of("event-version", "eventVersion");
    private static final JsonField STRUCTURED = JsonField.at("cloud-events", "/type");

    private EventTypes() {}

    /**
     * The type of a CloudEvent in either content mode, then of the common headers for it; {@link EventType#UNKNOWN} if
     * there is none. The version is the number in the header {@code event-version} or {@code eventVersion}, by default
     * 1.
     */
    public static EventType standard(Headers headers, Payload payload) {
        Optional<String> name = isStructured(payload) ? STRUCTURED.textIn(payload.bytes()) : Optional.empty();
        return name.or(() -> first(headers, NAMES))
                .map(found -> new EventType(found, versionIn(headers)))
                .orElse(EventType.UNKNOWN);
    }

    private static boolean isStructured(Payload payload) {
        return payload.contentType().toLowerCase(Locale.ROOT).startsWith("application/cloudevents");
    }

    private static int versionIn(Headers headers) {
        return first(headers, VERSIONS)
                .filter(text -> text.length() < 10 && text.chars().allMatch(c -> c >= '0' && c <= '9'))
                .map(Integer::parseInt)
                .orElse(1);
    }

    private static Optional<String> first(Headers headers, List<String> names) {
        return names.stream()
                .map(headers::text)
                .flatMap(Optional::stream)
                .filter(text -> !text.isEmpty())
                .findFirst();
    }
}
