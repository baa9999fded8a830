// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxEvent.Alert;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.policy.ConsumerPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Trouble is told once, and not again before it was over or an hour has passed. */
class AlertMonitorTest {

    private final List<InboxEvent> told = new ArrayList<>();
    private final Set<Alert.Kind> wrong = EnumSet.noneOf(Alert.Kind.class);
    private boolean away;
    private Instant now = Instant.parse("2026-01-01T12:00:00Z");

    private AlertMonitor alarm(@Nullable String owner) {
        ConsumerPolicy policy = ConsumerPolicy.defaults().owner(owner);
        return new AlertMonitor(
                new RegisteredConsumer("billing", "billing", 1, policy),
                this::look,
                () -> now,
                new EventPublisher(List.of(told::add)));
    }

    private Optional<HealthCheck.Symptom> look(Alert.Kind kind) {
        if (away) {
            throw new StoreUnavailableException("the database is away", new IllegalStateException("away"));
        }
        return wrong.contains(kind)
                ? Optional.of(new HealthCheck.Symptom("it is " + kind + ".", "Look at it."))
                : Optional.empty();
    }

    @Test
    void itIsToldOnceWhileItLasts() {
        AlertMonitor alertMonitor = alarm("team-billing");
        wrong.add(Alert.Kind.PARKED);

        alertMonitor.look();
        alertMonitor.look();

        assertThat(told)
                .containsExactly(new Alert(
                        "billing",
                        Alert.Kind.PARKED,
                        "team-billing",
                        "Consumer billing: it is PARKED. Call team-billing. Look at it."));
    }

    @Test
    void whereNobodyIsNamedNobodyIsCalled() {
        wrong.add(Alert.Kind.PENDING_AGE);

        alarm(null).look();

        assertThat(told)
                .containsExactly(new Alert(
                        "billing", Alert.Kind.PENDING_AGE, null, "Consumer billing: it is PENDING_AGE. Look at it."));
    }

    @Test
    void eachKindIsToldForItself() {
        AlertMonitor alertMonitor = alarm(null);
        wrong.add(Alert.Kind.PARKED);
        alertMonitor.look();
        wrong.add(Alert.Kind.DUPLICATE_SHARE);
        alertMonitor.look();

        assertThat(told)
                .extracting(event -> ((Alert) event).kind())
                .containsExactly(Alert.Kind.PARKED, Alert.Kind.DUPLICATE_SHARE);
    }

    @Test
    void itIsToldAgainWhenItWasOverInBetween() {
        AlertMonitor alertMonitor = alarm(null);
        wrong.add(Alert.Kind.PARKED);
        alertMonitor.look();
        wrong.clear();
        alertMonitor.look();
        wrong.add(Alert.Kind.PARKED);
        alertMonitor.look();

        assertThat(told).hasSize(2);
    }

    @Test
    void itIsToldAgainAfterAnHour() {
        AlertMonitor alertMonitor = alarm(null);
        wrong.add(Alert.Kind.PARKED);
        alertMonitor.look();
        now = now.plus(Duration.ofMinutes(59));
        alertMonitor.look();
        assertThat(told).hasSize(1);

        now = now.plus(Duration.ofMinutes(1));
        alertMonitor.look();
        alertMonitor.look();

        assertThat(told).hasSize(2);
    }

    @Test
    void whileNobodyCanTellNothingChanges() {
        AlertMonitor alertMonitor = alarm(null);
        wrong.add(Alert.Kind.PARKED);
        alertMonitor.look();
        away = true;
        alertMonitor.look();
        away = false;
        alertMonitor.look();

        assertThat(told).hasSize(1);
    }
}
