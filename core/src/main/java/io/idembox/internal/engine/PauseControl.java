// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.event.InboxEvent;
import io.idembox.policy.Mode;
import io.idembox.policy.PausePolicy;
import io.idembox.spi.FlowControl;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this node handles messages of a consumer now. There may be several causes not to; when the last one is gone, it
 * goes on by itself. The broker side is told whenever it should bring nothing, or go on. Thread-safe.
 */
public final class PauseControl {

    private static final Logger log = LoggerFactory.getLogger(PauseControl.class);

    /** Why nothing is handled. */
    public enum Cause {
        /** Somebody said so, for all nodes. */
        BY_HAND,
        /** Too many attempts failed here. */
        FAILURE_RATE,
        /** What is brought out does not get through to where it should. */
        DESTINATION_DOWN,
        /** The database does not answer. */
        STORE_DOWN
    }

    private final String consumer;
    private final boolean stores;
    private final @Nullable PausePolicy policy;
    private final InstantSource clock;
    private final EventPublisher events;
    private final List<Broker> brokers = new ArrayList<>();
    private final Map<Cause, String> causes = new EnumMap<>(Cause.class);
    private Instant windowEnd = Instant.EPOCH;
    private Instant pauseEnd = Instant.EPOCH;
    private long restEnd;
    private int attempts;
    private int failures;

    PauseControl(RegisteredConsumer consumer, InstantSource clock, EventPublisher events) {
        this.consumer = consumer.name();
        this.stores = consumer.policy().mode() == Mode.STORED;
        this.policy = consumer.policy().pause();
        this.clock = clock;
        this.events = events;
    }

    /** A broker that can be told; it is told at once if it should bring nothing now. */
    public synchronized void add(FlowControl flow) {
        brokers.add(new Broker(flow));
        tellBrokers();
    }

    /** Why nothing is handled now; empty when all is well. */
    public synchronized Optional<String> why() {
        return causes.values().stream().findFirst();
    }

    /** Why no handler runs now. A database that did not answer is asked again all the same. */
    public synchronized Optional<String> whyNotToHandle() {
        reopenWhenOver();
        return Stream.of(Cause.BY_HAND, Cause.FAILURE_RATE, Cause.DESTINATION_DOWN)
                .map(causes::get)
                .filter(Objects::nonNull)
                .findFirst();
    }

    public synchronized void close(Cause cause, String why) {
        if (causes.put(cause, why) == null) {
            log.warn("Consumer {} is paused on this node: {}", consumer, why);
            events.tell(new InboxEvent.Paused(consumer, cause.name(), why));
        }
        tellBrokers();
    }

    public synchronized void open(Cause cause) {
        if (causes.remove(cause) == null) {
            return;
        }
        log.info("Consumer {}: the cause {} of its pause is gone.", consumer, cause);
        events.tell(new InboxEvent.Resumed(consumer, cause.name()));
        tellBrokers();
    }

    /** Goes on when a pause is over, and tells those brokers again that could not be told before. */
    public synchronized void look() {
        reopenWhenOver();
        tellBrokers();
    }

    private void tellBrokers() {
        // What is only stored can be stored while nothing is handled.
        Optional<String> why = stores ? Optional.ofNullable(causes.get(Cause.STORE_DOWN)) : why();
        brokers.forEach(broker -> broker.tell(why));
    }

    /** Nothing gets through: rests for that long, then tries again by itself. */
    public synchronized void rest(Duration time, String why) {
        restEnd = System.nanoTime() + time.toNanos();
        close(Cause.DESTINATION_DOWN, why);
    }

    /** A pause for failures ends when its time is over. */
    private void reopenWhenOver() {
        if (causes.containsKey(Cause.FAILURE_RATE) && !clock.instant().isBefore(pauseEnd)) {
            open(Cause.FAILURE_RATE);
        }
        if (causes.containsKey(Cause.DESTINATION_DOWN) && System.nanoTime() - restEnd >= 0) {
            open(Cause.DESTINATION_DOWN);
        }
    }

    /** Counts how attempts ended. */
    synchronized void count(List<MessageResult> results) {
        if (policy == null) {
            return;
        }
        Instant now = clock.instant();
        if (!now.isBefore(windowEnd)) {
            windowEnd = now.plus(policy.window());
            attempts = 0;
            failures = 0;
        }
        for (MessageResult result : results) {
            switch (result.kind()) {
                case COMPLETED -> attempts++;
                case FAILED -> {
                    attempts++;
                    failures++;
                }
                case SKIPPED, STORED, HELD -> {
                    // No handler had its say.
                }
            }
        }
        if (attempts >= policy.minimum() && failures >= attempts * policy.failureRate()) {
            String why = failures + " of the last " + attempts + " attempts failed; it goes on by itself in "
                    + policy.pause();
            windowEnd = now;
            pauseEnd = now.plus(policy.pause());
            close(Cause.FAILURE_RATE, why);
        }
    }

    /** A broker, and what it was told last. One that throws harms neither the others nor what was just committed. */
    private final class Broker {

        private final FlowControl flow;
        private boolean paused;

        Broker(FlowControl flow) {
            this.flow = flow;
        }

        void tell(Optional<String> why) {
            if (paused == why.isPresent()) {
                return;
            }
            try {
                why.ifPresentOrElse(flow::pause, flow::resume);
                paused = why.isPresent();
            } catch (RuntimeException | Error thrown) {
                log.warn(
                        "Consumer {}: {} could not be told to {}. It is told again in a moment; until then its deliveries"
                                + " are answered as they come. Mend the flow control.",
                        consumer,
                        flow.getClass().getName(),
                        why.isPresent() ? "pause" : "resume",
                        thrown);
            }
        }
    }
}
