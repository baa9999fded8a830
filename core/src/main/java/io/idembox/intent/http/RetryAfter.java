// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses the {@code Retry-After} header: seconds, or a date in one of the three HTTP formats. */
final class RetryAfter {

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,100}");
    private static final int MAX_DIGITS = 10;
    private static final List<DateTimeFormatter> DATES = List.of(
            DateTimeFormatter.RFC_1123_DATE_TIME,
            new DateTimeFormatterBuilder()
                    .appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, LocalDate.of(2000, 1, 1))
                    .appendPattern(" HH:mm:ss 'GMT'")
                    .toFormatter(Locale.US)
                    .withZone(ZoneOffset.UTC),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US).withZone(ZoneOffset.UTC));

    private RetryAfter() {}

    /**
     * Returns the requested pause, limited to {@code longest}; zero when the date is in the past. Empty when the header
     * is missing or invalid.
     */
    static Optional<Duration> in(ProviderResponse answer, Instant now, Duration longest) {
        return answer.header("Retry-After").map(String::strip).flatMap(text -> {
            Optional<Duration> pause =
                    SECONDS.matcher(text).matches() ? Optional.of(seconds(text, longest)) : until(text, answer, now);
            return pause.map(wanted -> wanted.isNegative() ? Duration.ZERO : wanted)
                    .map(wanted -> wanted.compareTo(longest) > 0 ? longest : wanted);
        });
    }

    private static Duration seconds(String digits, Duration longest) {
        return digits.length() >= MAX_DIGITS ? longest : Duration.ofSeconds(Long.parseLong(digits));
    }

    private static Optional<Duration> until(String date, ProviderResponse answer, Instant now) {
        // Compare with the provider's own clock if the response has a date: clocks may differ.
        Instant start = answer.header("Date").flatMap(RetryAfter::instant).orElse(now);
        return instant(date).map(end -> Duration.between(start, end));
    }

    private static Optional<Instant> instant(String text) {
        for (DateTimeFormatter form : DATES) {
            try {
                return Optional.of(form.parse(text, ZonedDateTime::from).toInstant());
            } catch (DateTimeParseException e) {
                // try the next format
            }
        }
        return Optional.empty();
    }
}
