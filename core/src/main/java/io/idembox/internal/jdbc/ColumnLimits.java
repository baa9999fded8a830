// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Values as the columns can take them. What is hostile or too long is parked for what it is, so keeping it must not fail:
 * NUL and halves of surrogate pairs become the replacement character, long texts are cut, and times outside the years
 * 1 to 9999 are left out.
 */
final class ColumnLimits {

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private ColumnLimits() {}

    static @Nullable String text(@Nullable String text, int limit) {
        if (text == null) {
            return null;
        }
        StringBuilder clean = new StringBuilder(Math.min(text.length(), limit));
        text.codePoints().limit(limit).forEach(c -> {
            boolean hostile = c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
            clean.appendCodePoint(hostile ? '\uFFFD' : c);
        });
        return clean.toString();
    }

    static @Nullable Instant time(@Nullable Instant time) {
        return time == null || time.isBefore(EARLIEST) || time.isAfter(LATEST) ? null : time;
    }
}
