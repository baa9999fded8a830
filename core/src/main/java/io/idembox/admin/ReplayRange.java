// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Selects completed messages of a consumer to be handled again. All conditions must match; null matches any. Times are
 * truncated to microseconds, the precision of the database.
 *
 * @param from received at this time or later
 * @param to received before this time
 * @param type the name of the event type, in any version
 * @param key the key of the message
 */
public record ReplayRange(
        String consumer,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable String type,
        @Nullable String key) {

    public ReplayRange {
        Objects.requireNonNull(consumer, "consumer");
        from = from == null ? null : from.truncatedTo(ChronoUnit.MICROS);
        to = to == null ? null : to.truncatedTo(ChronoUnit.MICROS);
        if (from != null && to != null && !from.isBefore(to)) {
            throw new IllegalArgumentException("The range is empty: from " + from + " is not before to " + to);
        }
    }

    /** Selects all completed messages whose body is still stored. */
    public static ReplayRange of(String consumer) {
        return new ReplayRange(consumer, null, null, null, null);
    }

    public ReplayRange from(Instant newFrom) {
        return new ReplayRange(consumer, newFrom, to, type, key);
    }

    public ReplayRange to(Instant newTo) {
        return new ReplayRange(consumer, from, newTo, type, key);
    }

    public ReplayRange type(String newType) {
        return new ReplayRange(consumer, from, to, newType, key);
    }

    public ReplayRange key(String newKey) {
        return new ReplayRange(consumer, from, to, type, newKey);
    }

    /** Returns a description for operators and the audit trail. */
    @Override
    public String toString() {
        return "replay of " + consumer
                + (from == null ? "" : " from " + from)
                + (to == null ? "" : " to " + to)
                + (type == null ? "" : " type " + type)
                + (key == null ? "" : " key " + key);
    }
}
