// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.spi.Backlog;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The backlog of a consumer: messages it has received and not handled, and messages its brokers have not delivered yet.
 *
 * @param waiting how many messages of the inbox are not handled: RECEIVED, WAITING, FAILED_RETRYABLE and IN_PROGRESS
 * @param oldest when the first of them was received; null when there is none
 * @param brokers one for each source that this node has open for the consumer; empty when it has none
 */
public record Lag(String consumer, Count waiting, @Nullable Instant oldest, List<BrokerLag> brokers) {

    public Lag {
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(waiting, "waiting");
        brokers = List.copyOf(brokers);
    }

    /** Returns when the oldest waiting message was received. */
    public Optional<Instant> oldestIfAny() {
        return Optional.ofNullable(oldest);
    }

    /**
     * Returns how many messages the brokers still have; empty when a broker did not answer, or this node has no source
     * open.
     */
    public Optional<Long> atBrokers() {
        if (brokers.isEmpty() || brokers.stream().anyMatch(broker -> broker.backlog() == null)) {
            return Optional.empty();
        }
        return Optional.of(brokers.stream()
                .mapToLong(broker -> Objects.requireNonNull(broker.backlog()).messages())
                .sum());
    }

    /**
     * The backlog at the broker of one source.
     *
     * @param backlog the messages that the broker still has for all nodes together; null when it did not answer
     * @param error why it did not answer; null when it did
     */
    public record BrokerLag(
            @Nullable Backlog backlog, @Nullable String error) {

        public BrokerLag {
            if ((backlog == null) == (error == null)) {
                throw new IllegalArgumentException("Exactly one of backlog and error must be set");
            }
        }

        public Optional<Backlog> backlogIfAny() {
            return Optional.ofNullable(backlog);
        }
    }

    /** Returns a one-line summary for operators. */
    @Override
    public String toString() {
        String own = consumer + ": " + waiting + " waiting" + (oldest == null ? "" : " since " + oldest);
        if (brokers.isEmpty()) {
            return own + "; no source open on this node";
        }
        return own + "; "
                + atBrokers().map(messages -> messages + " at the broker").orElse("broker did not answer");
    }
}
