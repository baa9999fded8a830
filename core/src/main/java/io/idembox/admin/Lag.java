// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.spi.Backlog;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a consumer is behind: what it has taken and not handled yet, and what its brokers have not brought yet.
 *
 * @param waiting how many messages of the inbox are to be handled: RECEIVED, WAITING, FAILED_RETRYABLE, and those that are
 *     being worked on
 * @param oldest when the first of them was received; null when there is none
 * @param brokers one for each source that this node has open for the consumer; empty when it has none
 */
public record Lag(String consumer, Count waiting, @Nullable Instant oldest, List<BrokerLag> brokers) {

    public Lag {
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(waiting, "waiting");
        brokers = List.copyOf(brokers);
    }

    /** When the first message that waits was received. */
    public Optional<Instant> oldestIfAny() {
        return Optional.ofNullable(oldest);
    }

    /** How many messages the brokers still have; empty when one of them did not tell, or this node asks none. */
    public Optional<Long> atBrokers() {
        if (brokers.isEmpty() || brokers.stream().anyMatch(broker -> broker.backlog() == null)) {
            return Optional.empty();
        }
        return Optional.of(brokers.stream()
                .mapToLong(broker -> Objects.requireNonNull(broker.backlog()).messages())
                .sum());
    }

    /**
     * What one source says.
     *
     * @param backlog what the broker still has, on all nodes together; null when it did not answer
     * @param error why it did not answer; null when it did
     */
    public record BrokerLag(
            @Nullable Backlog backlog, @Nullable String error) {

        public BrokerLag {
            if ((backlog == null) == (error == null)) {
                throw new IllegalArgumentException("A broker answers, or there is a reason why not");
            }
        }

        public Optional<Backlog> backlogIfAny() {
            return Optional.ofNullable(backlog);
        }
    }

    /** One line for people. */
    @Override
    public String toString() {
        String own = consumer + ": " + waiting + " waiting" + (oldest == null ? "" : " since " + oldest);
        if (brokers.isEmpty()) {
            return own + "; this node has no source for it";
        }
        return own + "; "
                + atBrokers().map(messages -> messages + " at the broker").orElse("the broker does not answer");
    }
}
