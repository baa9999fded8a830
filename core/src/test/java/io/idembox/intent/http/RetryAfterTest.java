// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration LONGEST = Duration.ofHours(1);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|0",
                "7|7",
                " 7 |7",
                "007|7",
                "3600|3600",
                "3601|3600",
                "999999999|3600",
                "99999999999999999999999999|3600",
                "Thu, 01 Jan 2026 12:00:30 GMT|30",
                "Thursday, 01-Jan-26 12:00:30 GMT|30",
                "Thu Jan  1 12:00:30 2026|30",
                "Thu Jan 01 12:00:30 2026|30",
                "Thu, 01 Jan 2026 12:00:00 GMT|0",
                "Wed, 31 Dec 2025 12:00:00 GMT|0",
                "Fri, 01 Jan 2027 12:00:00 GMT|3600"
            })
    void saysHowLong(String text, long seconds) {
        assertThat(pause(text, null)).contains(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-1",
                "+5",
                "1.5",
                "1e3",
                "soon",
                "٣",
                "12 seconds",
                "Thu, 01 Jan 2026",
                "2026-01-01T12:00:30Z",
                "Thu, 32 Jan 2026 12:00:30 GMT",
                "Mon, 01 Jan 2026 12:00:30 GMT"
            })
    void whatCannotBeReadSaysNothing(String text) {
        assertThat(pause(text, null)).isEmpty();
    }

    @Test
    void noneSaysNothing() {
        assertThat(RetryAfter.in(answer(Map.of()), NOW, LONGEST)).isEmpty();
    }

    @Test
    void aDateIsHeldAgainstTheProvidersClock() {
        String inTenMinutesOfOurs = "Thu, 01 Jan 2026 12:10:00 GMT";

        assertThat(pause(inTenMinutesOfOurs, "Thu, 01 Jan 2026 12:09:55 GMT")).contains(Duration.ofSeconds(5));
        assertThat(pause(inTenMinutesOfOurs, "whenever")).contains(Duration.ofMinutes(10));
    }

    private static Optional<Duration> pause(String text, @Nullable String date) {
        Map<String, List<String>> headers = new HashMap<>(Map.of("retry-after", List.of(text)));
        if (date != null) {
            headers.put("date", List.of(date));
        }
        return RetryAfter.in(answer(headers), NOW, LONGEST);
    }

    private static ProviderResponse answer(Map<String, List<String>> headers) {
        return new ProviderResponse(429, HttpHeaders.of(headers, (name, value) -> true), new byte[0], false);
    }
}
