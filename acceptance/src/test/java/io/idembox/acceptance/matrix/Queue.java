// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A broker that delivers unacknowledged messages again, in the order in which they were sent and after the requested pause. It
 * counts deliveries. Not thread-safe.
 */
final class Queue {

    /** A broker gives up a message that is refused so often, as a dead-letter queue does. */
    private static final int GIVEN_UP_AFTER = 20;

    private final InstantSource clock;
    private final List<Waiting> open = new ArrayList<>();
    private int busiest;
    private Message busiestMessage;

    Queue(InstantSource clock, List<Message> messages) {
        this.clock = clock;
        messages.forEach(message -> open.add(new Waiting(message)));
    }

    /** The next deliveries that are due, at most so many. */
    List<Delivery> next(int batch) {
        return open.stream()
                .filter(each -> !each.notBefore.isAfter(clock.instant()))
                .limit(batch)
                .<Delivery>map(each -> each)
                .toList();
    }

    /** When the next delivery is due; empty when nothing is left. */
    Optional<Instant> nextDue() {
        return open.stream().map(each -> each.notBefore).min(Instant::compareTo);
    }

    /** How often the message that was delivered most often was delivered. */
    int mostDeliveries() {
        return busiest;
    }

    Message mostDelivered() {
        return busiestMessage;
    }

    private final class Waiting implements Delivery {

        private final Message message;
        private Instant notBefore = Instant.EPOCH;
        private int deliveries;

        Waiting(Message message) {
            this.message = message;
        }

        @Override
        public Message message() {
            return message;
        }

        @Override
        public void acknowledge() {
            count();
            open.remove(this);
        }

        @Override
        public void release(Duration pause) {
            count();
            notBefore = clock.instant().plus(pause);
            if (deliveries >= GIVEN_UP_AFTER) {
                open.remove(this);
            }
        }

        private void count() {
            deliveries++;
            if (deliveries > busiest) {
                busiest = deliveries;
                busiestMessage = message;
            }
        }
    }
}
