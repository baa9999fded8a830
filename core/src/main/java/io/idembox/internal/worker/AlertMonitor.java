// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.InboxException;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxEvent.Alert;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.TransactionFailed;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells people when a consumer is in trouble: once, and again when it was well in between or an hour has passed. Each node tells for
 * itself. Thread-safe.
 */
public final class AlertMonitor {

    private static final Logger log = LoggerFactory.getLogger(AlertMonitor.class);

    private static final Duration AGAIN_AFTER = Duration.ofHours(1);

    private final RegisteredConsumer consumer;
    private final HealthCheck healthCheck;
    private final InstantSource clock;
    private final EventPublisher events;
    private final Map<Alert.Kind, Instant> told = new EnumMap<>(Alert.Kind.class);

    public AlertMonitor(
            RegisteredConsumer consumer, HealthCheck healthCheck, InstantSource clock, EventPublisher events) {
        this.consumer = consumer;
        this.healthCheck = healthCheck;
        this.clock = clock;
        this.events = events;
    }

    /** Looks once. Where nobody can tell how the consumer stands, nothing changes. */
    public synchronized void look() {
        try {
            for (Alert.Kind kind : Alert.Kind.values()) {
                heed(kind, healthCheck.look(kind));
            }
        } catch (InboxException | TransactionFailed unavailable) {
            log.warn(
                    "Consumer {}: nobody can tell whether it is in trouble. {}",
                    consumer.name(),
                    unavailable.getMessage());
        }
    }

    private void heed(Alert.Kind kind, Optional<HealthCheck.Symptom> found) {
        if (found.isEmpty()) {
            told.remove(kind);
            return;
        }
        Instant now = clock.instant();
        Instant before = told.get(kind);
        if (before == null || !now.isBefore(before.plus(AGAIN_AFTER))) {
            told.put(kind, now);
            tell(kind, found.get());
        }
    }

    private void tell(Alert.Kind kind, HealthCheck.Symptom symptom) {
        String owner = consumer.policy().owner();
        String call = owner == null ? "" : " Call " + owner + ".";
        String words = "Consumer " + consumer.name() + ": " + symptom.what() + call + " " + symptom.advice();
        log.warn("{}", words);
        events.tell(new InboxEvent.Alert(consumer.name(), kind, owner, words));
    }
}
