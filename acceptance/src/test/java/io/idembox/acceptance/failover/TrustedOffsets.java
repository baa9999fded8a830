// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.Delivery;
import io.idembox.spi.Feed;
import io.idembox.spi.Inlet;
import io.idembox.spi.Lanes;
import io.idembox.spi.Reading;
import io.idembox.spi.Source;
import io.idembox.spi.Tenure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * Reverts the fix of F1. When the database has no position of a partition, the source gets the group's offset as the position, and
 * so continues there.
 */
final class TrustedOffsets implements Source {

    private final Source real;
    private final String bootstrap;

    TrustedOffsets(Source real, String bootstrap) {
        this.real = real;
        this.bootstrap = bootstrap;
    }

    @Override
    public Feed open(Inlet inlet) {
        return real.open(new Trusting(inlet, new Offsets(inlet.lanes(), inlet.consumer(), new Topics(bootstrap))));
    }

    private record Trusting(Inlet real, Lanes lanes) implements Inlet {

        @Override
        public String consumer() {
            return real.consumer();
        }

        @Override
        public String firstName() {
            return real.firstName();
        }

        @Override
        public ConsumerPolicy policy() {
            return real.policy();
        }

        @Override
        public List<Receipt> receive(List<? extends Delivery> deliveries) {
            return real.receive(deliveries);
        }

        @Override
        public void tell(InboxEvent event) {
            real.tell(event);
        }
    }

    /** The consumer's group has its name. */
    private record Offsets(Lanes real, String group, Topics topics) implements Lanes {

        @Override
        public Tenure take(String channel, int partition) {
            Tenure tenure = real.take(channel, partition);
            return new Taken(tenure, tenure.found().or(() -> committed(new TopicPartition(channel, partition))));
        }

        private Optional<Reading> committed(TopicPartition partition) {
            return Optional.ofNullable(topics.committed(group).get(partition))
                    .map(offset -> new Reading(topics.id(partition.topic()), offset, offset));
        }

        @Override
        public Map<Tenure, Written> reached(Map<Tenure, Reading> lanes) {
            Map<Tenure, Tenure> taken = new HashMap<>();
            Map<Tenure, Reading> readings = new HashMap<>();
            lanes.forEach((tenure, reading) -> {
                Tenure held = ((Taken) tenure).real();
                taken.put(held, tenure);
                readings.put(held, reading);
            });
            Map<Tenure, Written> written = new HashMap<>();
            real.reached(readings).forEach((tenure, answer) -> written.put(taken.get(tenure), answer));
            return written;
        }
    }

    private record Taken(Tenure real, Optional<Reading> found) implements Tenure {

        @Override
        public boolean isRewound() {
            return real.isRewound();
        }

        @Override
        public boolean isHeld() {
            return real.isHeld();
        }

        @Override
        public void release() {
            real.release();
        }
    }
}
