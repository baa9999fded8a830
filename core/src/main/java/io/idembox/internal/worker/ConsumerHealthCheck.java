// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent.Alert;
import io.idembox.internal.admin.AdminStore;
import io.idembox.internal.engine.ReceiptCounts;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SequenceStore;
import io.idembox.policy.Alerts;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks at the tables and at what this node answered. Counts no further than it has to. Not thread-safe: one alarm asks. */
public final class ConsumerHealthCheck implements HealthCheck {

    private static final int COUNTED = 1_000;
    private static final int FEWEST_DELIVERIES = 20;

    private final AdminStore rows;
    private final SequenceStore sequences;
    private final Receiver receiver;
    private final InstantSource clock;
    private final RegisteredConsumer consumer;
    private final Alerts alerts;
    private ReceiptCounts before;

    public ConsumerHealthCheck(AdminStore rows, SequenceStore sequences, Receiver receiver, InstantSource clock) {
        this.rows = rows;
        this.sequences = sequences;
        this.receiver = receiver;
        this.clock = clock;
        this.consumer = receiver.consumer();
        this.alerts = consumer.policy().alerts();
        this.before = receiver.answered();
    }

    @Override
    public Optional<Symptom> look(Alert.Kind kind) {
        return switch (kind) {
            case PARKED -> parked(alerts.parked());
            case PENDING_AGE -> pendingAge(alerts.pendingAge());
            case SEQUENCE_GAP -> sequenceGap(alerts.sequenceGap());
            case DUPLICATE_SHARE -> duplicateShare(alerts.duplicateShare());
        };
    }

    private Optional<Symptom> parked(@Nullable Integer limit) {
        if (limit == null) {
            return Optional.empty();
        }
        Filter forPeople = Filter.of(consumer.name()).status(Status.PARKED, Status.FAILED_TERMINAL);
        int most = Math.max(limit, COUNTED);
        int parked = rows.count(consumer, forPeople, most);
        if (parked < limit) {
            return Optional.empty();
        }
        List<InboxMessage> first = rows.findPage(consumer, forPeople, Page.first(1));
        String since = first.isEmpty()
                ? ""
                : "; the first of them came at " + written(first.get(0).times().receivedAt());
        return Optional.of(new Symptom(
                counted(parked, most) + " set aside or failed for good and for people to decide" + since + ".",
                "Look at them with: idembox parked list --consumer " + name()));
    }

    private Optional<Symptom> pendingAge(@Nullable Duration limit) {
        if (limit == null) {
            return Optional.empty();
        }
        AdminStore.Waiting waiting = rows.waiting(consumer, COUNTED);
        Instant oldest = waiting.oldest();
        if (oldest == null) {
            return Optional.empty();
        }
        Duration age = Duration.between(oldest, clock.instant());
        if (age.compareTo(limit) <= 0) {
            return Optional.empty();
        }
        return Optional.of(new Symptom(
                "the oldest message that is to be handled came at " + written(oldest) + ", " + age.toSeconds()
                        + " s ago; " + counted(waiting.number(), COUNTED) + " to be handled.",
                "Look whether it is paused or its handlers fail: idembox consumers describe " + name()));
    }

    private Optional<Symptom> sequenceGap(@Nullable Duration limit) {
        if (limit == null) {
            return Optional.empty();
        }
        int keys = sequences.find(consumer, limit).size();
        if (keys == 0) {
            return Optional.empty();
        }
        return Optional.of(new Symptom(
                atLeast(keys, SequenceStore.GAPS_AT_ONCE) + (keys == 1 ? " key waits" : " keys wait")
                        + " for a message that has not come, for more than " + limit.toSeconds() + " s.",
                "Look which ones, and get what is missing delivered: idembox keys list --blocked --consumer "
                        + name()));
    }

    private Optional<Symptom> duplicateShare(@Nullable Double limit) {
        ReceiptCounts now = receiver.answered();
        ReceiptCounts lately = now.since(before);
        before = now;
        if (limit == null || lately.all() < FEWEST_DELIVERIES || lately.duplicateShare() < limit) {
            return Optional.empty();
        }
        return Optional.of(new Symptom(
                lately.duplicates() + " of " + lately.all()
                        + " deliveries since the last look, about a minute ago, were duplicates.",
                "None of them was handled twice. Look whether its producer sends again, or a broker went back to an"
                        + " earlier position."));
    }

    private static String counted(int number, int most) {
        return atLeast(number, most) + (number == 1 ? " message is" : " messages are");
    }

    private static String atLeast(int number, int most) {
        return number < most ? Integer.toString(number) : number + " or more";
    }

    private static String written(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** As a shell takes it. */
    private String name() {
        String name = consumer.name();
        return name.matches("[\\w./-]+") ? name : "'" + name.replace("'", "'\\''") + "'";
    }
}
