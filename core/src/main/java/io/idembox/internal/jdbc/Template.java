// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * A statement before it is made for a database: {@code {now}} is the time, {@code {due}} some time from now, {@code {before}} some time ago, {@code
 * {states}} every state an entry can be in, {@code {leased}} whether entry e is under lease h, {@code {group}} the group of entry e's failure, {@code {time}} the type of times.
 *
 * @param h2 null where H2 does not need the statement
 */
record Template(String postgresql, @Nullable String h2) {

    /** With all of them named, an entry is found by its key. */
    private static final String STATES =
            "('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')";

    String in(Database database) {
        String text = switch (database) {
            case POSTGRESQL -> postgresql;
            case H2 -> h2 == null ? "" : h2;
        };
        return text.replace("{before}", before(database))
                .replace("{due}", due(database))
                .replace("{now}", now(database))
                .replace("{states}", STATES)
                .replace("{leased}", leased(database))
                .replace("{group}", group(database))
                .replace("{time}", time(database))
                .strip();
    }

    private static String leased(Database database) {
        return switch (database) {
            case POSTGRESQL -> "e.arrival = any (h.arrivals)";
            case H2 -> "array_contains(h.arrivals, e.arrival)";
        };
    }

    /** What was not thrown has no group of its own: it gets one from its error class, or its reason. */
    private static String group(Database database) {
        return switch (database) {
            case POSTGRESQL ->
                "coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8'))"
                        + " from 1 for 16), 'hex') as uuid))";
            case H2 ->
                "coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason)))"
                        + " from 1 for 16) as uuid))";
        };
    }

    private static String time(Database database) {
        return switch (database) {
            case POSTGRESQL -> "timestamptz";
            case H2 -> "timestamp(6) with time zone";
        };
    }

    private static String now(Database database) {
        return switch (database) {
            case POSTGRESQL -> "coalesce(cast(? as timestamptz), clock_timestamp())";
            case H2 -> "?";
        };
    }

    /** Some microseconds ago; bound as the microseconds, then the time. */
    private static String before(Database database) {
        return switch (database) {
            case POSTGRESQL -> "cast(? as bigint) * interval '-1 microsecond' + {now}";
            case H2 -> "dateadd('MICROSECOND', -cast(? as bigint), cast({now} as timestamp(6) with time zone))";
        };
    }

    /** Some microseconds from now, or null; bound as the microseconds, then the time. */
    private static String due(Database database) {
        return switch (database) {
            case POSTGRESQL -> "cast(? as bigint) * interval '1 microsecond' + {now}";
            case H2 -> "dateadd('MICROSECOND', cast(? as bigint), cast({now} as timestamp(6) with time zone))";
        };
    }
}
