// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.util.Objects;

/**
 * The event type of a message and the version of its schema.
 *
 * @param name for example {@code OrderPlaced}
 * @param version the version of the event's schema; 1 by default
 */
public record EventType(String name, int version) {

    /** The type of a message without a type. */
    public static final EventType UNKNOWN = new EventType("unknown", 1);

    public EventType {
        Objects.requireNonNull(name, "name");
        if (version < 0) {
            throw new IllegalArgumentException(
                    "The version of event type " + name + " must not be negative, was " + version);
        }
    }

    /** Formats the type for logs and errors; a long name is shortened. */
    @Override
    public String toString() {
        String shown = Abbreviated.text(name);
        return version == 1 ? shown : shown + " v" + version;
    }
}
