// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.util.Objects;

/**
 * What kind of event a message is, and in which version of its shape.
 *
 * @param name for example {@code OrderPlaced}
 * @param version the version of the event's shape; 1 where nobody says otherwise
 */
public record EventType(String name, int version) {

    /** The type of a message that does not say. */
    public static final EventType UNKNOWN = new EventType("unknown", 1);

    public EventType {
        Objects.requireNonNull(name, "name");
        if (version < 0) {
            throw new IllegalArgumentException("The version of event type " + name + " is negative: " + version);
        }
    }

    /** For logs and errors: a long name is shortened. */
    @Override
    public String toString() {
        String shown = Abbreviated.text(name);
        return version == 1 ? shown : shown + " v" + version;
    }
}
