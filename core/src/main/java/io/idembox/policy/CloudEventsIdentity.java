// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.Message;
import io.idembox.MessageId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads {@code source} and {@code id} of a CloudEvent in either content mode. */
enum CloudEventsIdentity implements Identity {
    INSTANCE;

    private static final List<String> PREFIXES = List.of("ce_", "cloudEvents_", "cloudEvents:", "ce-");
    private static final JsonField ID = JsonField.at("cloud-events", "/id");
    private static final JsonField SOURCE = JsonField.at("cloud-events", "/source");

    @Override
    public Optional<MessageId> of(Message message) {
        if (message.payload().contentType().toLowerCase(Locale.ROOT).startsWith("application/cloudevents")) {
            byte[] envelope = message.payload().bytes();
            return identity(SOURCE.textIn(envelope), ID.textIn(envelope));
        }
        for (String prefix : PREFIXES) {
            Optional<MessageId> found = identity(
                    message.headers().text(prefix + "source"), message.headers().text(prefix + "id"));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** An id is unique only per source, so both are required. */
    private static Optional<MessageId> identity(Optional<String> source, Optional<String> id) {
        return source.filter(text -> !text.isEmpty())
                .flatMap(from -> id.filter(text -> !text.isEmpty()).map(text -> new MessageId(from, text)));
    }
}
