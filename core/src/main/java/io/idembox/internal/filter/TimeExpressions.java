// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses times: an instant, a date, or a relative time such as {@code -24h}. Pure. */
final class TimeExpressions {

    private static final Pattern AGO = Pattern.compile("-([0-9]{1,9})([smhd])");
    private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

    /** The bounds of the times that all supported databases can store. */
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private TimeExpressions() {}

    static Condition read(Operator operator, FilterToken filterToken, Instant now) {
        try {
            if (DATE.matcher(filterToken.text()).matches()) {
                return ofDate(operator, LocalDate.parse(filterToken.text()), filterToken);
            }
            Matcher ago = AGO.matcher(filterToken.text());
            return of(
                    operator,
                    ago.matches() ? now.minus(duration(ago)) : Instant.parse(filterToken.text()),
                    filterToken);
        } catch (DateTimeException | ArithmeticException unreadable) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    FilterSyntaxException.shown(filterToken)
                            + " is not a time; use an instant (2026-01-31T12:00:00Z), a date (2026-01-31) or a relative"
                            + " time (-30m, -24h, -7d).");
        }
    }

    /** A date means the whole day in UTC: ">" starts at the next day, and "<=" includes the whole day. */
    private static Condition ofDate(Operator operator, LocalDate date, FilterToken filterToken) {
        return switch (operator) {
            case GREATER -> of(Operator.GREATER_OR_EQUAL, begin(date.plusDays(1)), filterToken);
            case LESS_OR_EQUAL -> of(Operator.LESS, begin(date.plusDays(1)), filterToken);
            default -> of(operator, begin(date), filterToken);
        };
    }

    private static Instant begin(LocalDate date) {
        return date.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    private static Condition of(Operator operator, Instant instant, FilterToken filterToken) {
        if (instant.isBefore(FIRST) || instant.isAfter(LAST)) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    FilterSyntaxException.shown(filterToken)
                            + " is out of range; a time must be between 0001-01-01 and 9999-12-30.");
        }
        return new Condition(Field.RECEIVED, operator, List.of(instant.toString()));
    }

    private static Duration duration(Matcher ago) {
        long number = Long.parseLong(ago.group(1));
        return switch (ago.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
