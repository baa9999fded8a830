// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.status;

import io.idembox.admin.Count;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Lag;
import io.idembox.admin.Status;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of a consumer.
 *
 * @param waiting the number of messages to be handled
 * @param oldest when the first of them was received; null when there is none
 * @param parked the number of messages that need attention: PARKED or FAILED_TERMINAL
 * @param paused the operator and the reason; null when the consumer is not paused
 */
public record ConsumerStatus(
        String consumer,
        Count waiting,
        @Nullable Instant oldest,
        Count parked,
        @Nullable String paused) {

    static final int COUNT_LIMIT = 10_000;

    static final List<Column> COLUMNS = List.of(
            Column.of("consumer"),
            Column.of("waiting"),
            Column.of("oldest"),
            Column.of("ageSeconds").titled("AGE (S)"),
            Column.of("parked"),
            Column.of("paused"));

    public static ConsumerStatus of(InboxAdmin admin, String consumer) {
        Lag lag = admin.lag(consumer);
        Filter forPeople = Filter.of(consumer).status(Status.PARKED, Status.FAILED_TERMINAL);
        return new ConsumerStatus(
                consumer,
                lag.waiting(),
                lag.oldest(),
                admin.count(forPeople, COUNT_LIMIT),
                admin.paused(consumer).orElse(null));
    }

    public Fields fields(Instant now) {
        return Fields.of("consumer", consumer)
                .and("waiting", waiting)
                .and("oldest", oldest)
                .and(
                        "ageSeconds",
                        oldest == null
                                ? null
                                : Math.max(0, Duration.between(oldest, now).toSeconds()))
                .and("parked", parked)
                .and("paused", paused);
    }
}
