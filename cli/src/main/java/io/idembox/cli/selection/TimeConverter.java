// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.cli.call.CommandException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses times and durations. Pure. */
public final class TimeConverter {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    private TimeConverter() {}

    /** Parses {@code 24h} or {@code -24h} (ago), a day in UTC ({@code 2026-03-01}), or {@code 2026-03-01T12:00:00Z}. */
    public static Instant instant(String option, String text, Instant now) {
        try {
            String ago = text.startsWith("-") ? text.substring(1) : text;
            if (DURATION.matcher(ago).matches()) {
                return now.minus(duration(option, ago));
            }
            return DAY.matcher(text).matches()
                    ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                    : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException | ArithmeticException neither) {
            throw CommandException.usage(
                    option + " must be a time such as 24h, 2026-03-01 or 2026-03-01T12:00:00Z; was '" + text + "'");
        }
    }

    /** Parses a duration: {@code 500ms}, {@code 30s}, {@code 10m}, {@code 12h}, {@code 14d}. */
    public static Duration duration(String option, String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw CommandException.usage(
                    option + " must be a duration such as 500ms, 30s, 10m, 12h or 14d; was '" + text + "'");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
