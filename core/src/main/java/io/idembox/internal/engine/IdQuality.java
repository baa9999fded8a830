// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxEvent.SuspiciousIds.Suspicion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether ids are what ids should be: chosen by the producer, and the same at every delivery. It looks at the first
 * thousands of messages of a consumer and reports each suspicion once; it decides nothing. Thread-safe.
 */
final class IdQuality {

    private static final Logger log = LoggerFactory.getLogger(IdQuality.class);

    private static final int SAMPLE = 5_000;
    private static final int MEMORY = 1_000;
    private static final int WINDOW = 200;
    private static final int SMALLEST_WINDOW = 50;
    private static final int LONGEST_ID = 200;
    private static final long FEW = 100;

    private final String consumer;
    private final EventPublisher events;
    private final Deque<Set<Suspicion>> window = new ArrayDeque<>();
    private final Map<Suspicion, Integer> hits = new EnumMap<>(Suspicion.class);
    private final Set<Suspicion> reported = EnumSet.noneOf(Suspicion.class);
    private final Map<UUID, String> idOfPayload = remembering();
    private final Map<MessageId, UUID> payloadOfId = remembering();
    private int looked;

    IdQuality(String consumer, EventPublisher events) {
        this.consumer = consumer;
        this.events = events;
    }

    /** Checks one message. A suspicion is reported when its share of the recent messages is large enough. */
    synchronized void look(IncomingMessage incoming, Instant now) {
        if (looked >= SAMPLE) {
            return;
        }
        looked++;
        Set<Suspicion> fitting = suspicionsOf(incoming, now);
        window.add(fitting);
        fitting.forEach(each -> hits.merge(each, 1, Integer::sum));
        if (window.size() > WINDOW) {
            window.remove().forEach(each -> hits.merge(each, -1, Integer::sum));
        }
        if (window.size() >= SMALLEST_WINDOW) {
            hits.forEach(this::judge);
        }
    }

    private Set<Suspicion> suspicionsOf(IncomingMessage incoming, Instant now) {
        Set<Suspicion> fitting = EnumSet.noneOf(Suspicion.class);
        long number = numberIn(incoming.id().id());
        if (number >= 0) {
            boolean isOffset = incoming.message()
                    .position()
                    .map(at -> at.offset() == number)
                    .orElse(false);
            if (isOffset) {
                fitting.add(Suspicion.OFFSET);
            } else if (number < FEW) {
                fitting.add(Suspicion.COUNTER);
            }
            if (isAbout(now, number)) {
                fitting.add(Suspicion.TIMESTAMP);
            }
        }
        if (isOldPayloadUnderANewId(incoming)) {
            fitting.add(Suspicion.REGENERATED);
        }
        if (isOldIdWithANewPayload(incoming)) {
            fitting.add(Suspicion.NON_UNIQUE);
        }
        return fitting;
    }

    /**
     * The format of ids is suspicious when more than half of them have it. Repeated ids and payloads are suspicious from one in
     * five: the first message of each, and messages that arrived once, do not count.
     */
    private void judge(Suspicion suspicion, int count) {
        int needed = switch (suspicion) {
            case OFFSET, TIMESTAMP, COUNTER -> window.size() / 2 + 1;
            case REGENERATED, NON_UNIQUE -> window.size() / 5;
        };
        if (count >= needed && reported.add(suspicion)) {
            events.tell(new InboxEvent.SuspiciousIds(consumer, suspicion, window.size()));
            log.warn(
                    "Consumer {}: {} of the last {} ids look like {}. Two deliveries of one message may count as two"
                            + " messages, or two messages as one. Choose an id that the producer sets once per event.",
                    consumer,
                    count,
                    window.size(),
                    suspicion.description());
        }
    }

    private boolean isOldIdWithANewPayload(IncomingMessage incoming) {
        if (incoming.id().id().length() > LONGEST_ID) {
            return false;
        }
        UUID known = payloadOfId.putIfAbsent(incoming.id(), incoming.variant());
        return known != null && !known.equals(incoming.variant());
    }

    /** The newest entries only. */
    private static <K, V> Map<K, V> remembering() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MEMORY;
            }
        };
    }

    private boolean isOldPayloadUnderANewId(IncomingMessage incoming) {
        if (incoming.message().payload().size() < 16) {
            return false;
        }
        String known = idOfPayload.putIfAbsent(incoming.variant(), incoming.id().id());
        return known != null && !known.equals(incoming.id().id());
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
