// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.Delivery;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
import io.idembox.spi.RunningSource;
import io.idembox.spi.Source;
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
    public RunningSource open(ConsumerEndpoint endpoint) {
        return real.open(
                new Trusting(endpoint, new Offsets(endpoint.partitions(), endpoint.consumer(), new Topics(bootstrap))));
    }

    private record Trusting(ConsumerEndpoint real, Partitions partitions) implements ConsumerEndpoint {

        @Override
        public String consumer() {
            return real.consumer();
        }

        @Override
        public String originalName() {
            return real.originalName();
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
        public void publish(InboxEvent event) {
            real.publish(event);
        }
    }

    /** The consumer's group has its name. */
    private record Offsets(Partitions real, String group, Topics topics) implements Partitions {

        @Override
        public PartitionOwnership take(String channel, int partition) {
            PartitionOwnership ownership = real.take(channel, partition);
            return new Taken(
                    ownership, ownership.position().or(() -> committed(new TopicPartition(channel, partition))));
        }

        private Optional<ReadPosition> committed(TopicPartition partition) {
            return Optional.ofNullable(topics.committed(group).get(partition))
                    .map(offset -> new ReadPosition(topics.id(partition.topic()), offset, offset));
        }

        @Override
        public Map<PartitionOwnership, SaveResult> savePositions(Map<PartitionOwnership, ReadPosition> lanes) {
            Map<PartitionOwnership, PartitionOwnership> taken = new HashMap<>();
            Map<PartitionOwnership, ReadPosition> positions = new HashMap<>();
            lanes.forEach((ownership, position) -> {
                PartitionOwnership held = ((Taken) ownership).real();
                taken.put(held, ownership);
                positions.put(held, position);
            });
            Map<PartitionOwnership, SaveResult> saveResult = new HashMap<>();
            real.savePositions(positions).forEach((ownership, answer) -> saveResult.put(taken.get(ownership), answer));
            return saveResult;
        }
    }

    private record Taken(PartitionOwnership real, Optional<ReadPosition> position) implements PartitionOwnership {

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
