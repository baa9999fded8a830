// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.status;

import io.idembox.cli.call.CommandException;
import io.idembox.cli.selection.TimeConverter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The thresholds of {@code --fail-on}: {@code parked=1,waiting=1000,oldest=5m}. Immutable. */
final class StatusThresholds {

    private final Map<String, Integer> counts;
    private final @Nullable Duration oldest;

    private StatusThresholds(Map<String, Integer> counts, @Nullable Duration oldest) {
        this.counts = counts;
        this.oldest = oldest;
    }

    static StatusThresholds parse(List<String> texts) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        Duration oldest = null;
        for (String text : texts) {
            String name = text.replaceFirst("=.*", "");
            String value = text.substring(Math.min(name.length() + 1, text.length()));
            switch (name) {
                case "oldest" -> oldest = TimeConverter.duration("--fail-on oldest", value);
                case "parked", "waiting" -> counts.put(name, number(text, value));
                default -> throw invalid(text);
            }
        }
        return new StatusThresholds(counts, oldest);
    }

    private static int number(String text, String value) {
        if (!value.matches("[1-9]\\d{0,4}") || Integer.parseInt(value) > ConsumerStatus.COUNT_LIMIT) {
            throw invalid(text);
        }
        return Integer.parseInt(value);
    }

    private static CommandException invalid(String text) {
        return CommandException.usage("--fail-on accepts parked=N and waiting=N (N from 1 to "
                + ConsumerStatus.COUNT_LIMIT + ") and oldest=TIME; was '" + text + "'");
    }

    /** A line for each threshold that is reached; empty when there is none. */
    List<String> violations(ConsumerStatus status, Instant now) {
        List<String> complaints = new ArrayList<>();
        addViolation(complaints, status, "parked", status.parked().number());
        addViolation(complaints, status, "waiting", status.waiting().number());
        Instant since = status.oldest();
        if (oldest != null && since != null && Duration.between(since, now).compareTo(oldest) >= 0) {
            complaints.add(status.consumer() + ": oldest message waiting since " + since);
        }
        return complaints;
    }

    private void addViolation(List<String> complaints, ConsumerStatus status, String what, int number) {
        Integer most = counts.get(what);
        if (most != null && number >= most) {
            complaints.add(status.consumer() + ": " + number + " " + what);
        }
    }
}
