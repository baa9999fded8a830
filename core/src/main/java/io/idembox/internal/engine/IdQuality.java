// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.event.InboxEvent;
import io.idembox.event.InboxEvent.SuspiciousIds.Suspicion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether ids are what ids should be: chosen by the producer, and the same at every delivery. It looks at the first
 * thousands of messages of a consumer and says each suspicion once; it decides nothing. Thread-safe.
 */
final class IdQuality {

    private static final Logger log = LoggerFactory.getLogger(IdQuality.class);

    private static final int SAMPLE = 5_000;
    private static final int MEMORY = 1_000;
    private static final int ENOUGH = 20;
    private static final long FEW = 100;

    private final String consumer;
    private final Events events;
    private final Map<Suspicion, Integer> hits = new EnumMap<>(Suspicion.class);
    private final Map<UUID, String> idOfPayload = new HashMap<>();
    private final Deque<UUID> payloads = new ArrayDeque<>();
    private int looked;

    IdQuality(String consumer, Events events) {
        this.consumer = consumer;
        this.events = events;
    }

    /** Looks at one message. A suspicion is said when it fits twenty messages, and most of those looked at. */
    synchronized void look(Candidate candidate, Instant now) {
        if (looked >= SAMPLE) {
            return;
        }
        looked++;
        String id = candidate.id().id();
        long number = numberIn(id);
        boolean isOffset =
                candidate.message().position().map(at -> at.offset() == number).orElse(false);
        if (number >= 0) {
            note(Suspicion.OFFSET, isOffset);
            note(Suspicion.TIMESTAMP, isAbout(now, number));
            note(Suspicion.COUNTER, !isOffset && number < FEW);
        }
        note(Suspicion.REGENERATED, isOldPayloadUnderANewId(candidate));
    }

    private void note(Suspicion suspicion, boolean fits) {
        if (!fits) {
            return;
        }
        int count = hits.merge(suspicion, 1, Integer::sum);
        if (count == ENOUGH && count * 2 >= Math.min(looked, 2 * ENOUGH)) {
            events.tell(new InboxEvent.SuspiciousIds(consumer, suspicion, looked));
            log.warn(
                    "Consumer {}: {} of the first {} ids look like {}. Then two deliveries of one message may count as two"
                            + " messages, or two messages as one. Choose an id that the producer sets once per event.",
                    consumer,
                    count,
                    looked,
                    suspicion.words());
        }
    }

    private boolean isOldPayloadUnderANewId(Candidate candidate) {
        if (candidate.message().payload().size() < 16) {
            return false;
        }
        String known =
                idOfPayload.putIfAbsent(candidate.variant(), candidate.id().id());
        if (known == null) {
            payloads.add(candidate.variant());
            if (payloads.size() > MEMORY) {
                idOfPayload.remove(payloads.remove());
            }
        }
        return known != null && !known.equals(candidate.id().id());
    }

    /** The number an id consists of; -1 when it is not a number. */
    private static long numberIn(String id) {
        if (id.isEmpty() || id.length() > 18 || !id.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        return Long.parseLong(id);
    }

    private static boolean isAbout(Instant now, long number) {
        Duration year = Duration.ofDays(366);
        return Math.abs(now.toEpochMilli() - number) < year.toMillis()
                || Math.abs(now.getEpochSecond() - number) < year.toSeconds();
    }
}
