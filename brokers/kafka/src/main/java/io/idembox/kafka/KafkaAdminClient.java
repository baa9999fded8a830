// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.Position;
import io.idembox.spi.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Reads topics, offsets and groups from Kafka; every request has a timeout. Thread-safe. */
final class KafkaAdminClient implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Admin admin;
    private final String group;

    KafkaAdminClient(ConsumerSettings settings) {
        this.admin = Admin.create(settings.admin());
        this.group = settings.group();
    }

    /**
     * A topic as it is now.
     *
     * @param id distinguishes it from an earlier topic of the same name
     */
    record Topic(String id, int partitions) {}

    /**
     * The offsets of a partition: its oldest record and the next one that will be written.
     *
     * @param epoch the current leader epoch; empty when the broker has none
     */
    record OffsetRange(long earliest, long end, Optional<Integer> epoch) {}

    /**
     * The offset that the group committed for a partition.
     *
     * @param epoch the leader epoch of the record before
     * @param mark the metadata of this source; empty when another application committed the offset
     */
    record Committed(long offset, Optional<Integer> epoch, Optional<CommitMark> mark) {}

    /**
     * The topics that were found.
     *
     * @param missing those that do not exist; a topic that this user may not describe is in neither
     */
    record Topics(Map<String, Topic> found, Set<String> missing) {}

    /**
     * Describes these topics.
     *
     * @throws AuthorizationException when this user may not describe any of them
     */
    Topics topics(Collection<String> names) {
        Map<String, Topic> found = new HashMap<>();
        Set<String> missing = new HashSet<>();
        List<AuthorizationException> hidden = new ArrayList<>();
        admin.describeTopics(names).topicNameValues().forEach((name, future) -> {
            try {
                TopicDescription topic = get(future);
                found.put(
                        name,
                        new Topic(topic.topicId().toString(), topic.partitions().size()));
            } catch (UnknownTopicOrPartitionException unknown) {
                missing.add(name);
            } catch (AuthorizationException refused) {
                hidden.add(refused);
            }
        });
        if (hidden.size() == names.size()) {
            throw hidden.get(0);
        }
        return new Topics(found, missing);
    }

    /** The offsets that the group committed. */
    Map<TopicPartition, Committed> committed() {
        Map<TopicPartition, Committed> offsets = new HashMap<>();
        try {
            Map<TopicPartition, OffsetAndMetadata> known =
                    get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
            known.forEach((partition, offset) -> Optional.ofNullable(offset)
                    .ifPresent(said -> offsets.put(
                            partition,
                            new Committed(said.offset(), said.leaderEpoch(), CommitMark.parse(said.metadata())))));
        } catch (GroupIdNotFoundException never) {
            // The group does not exist yet, so it has committed nothing.
        }
        return offsets;
    }

    /** The offsets of those partitions that have a leader; does not wait for an election. */
    Map<TopicPartition, OffsetRange> offsetRanges(Set<TopicPartition> partitions) {
        ListOffsetsOptions committed = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
        ListOffsetsResult earliest = admin.listOffsets(all(partitions, OffsetSpec.earliest()), committed);
        ListOffsetsResult latest = admin.listOffsets(all(partitions, OffsetSpec.latest()), committed);
        Map<TopicPartition, OffsetRange> ranges = new HashMap<>();
        List<RetriableException> silent = new ArrayList<>();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        for (TopicPartition partition : partitions) {
            try {
                long oldest = get(earliest.partitionResult(partition), deadline).offset();
                ListOffsetsResult.ListOffsetsResultInfo end = get(latest.partitionResult(partition), deadline);
                ranges.put(partition, new OffsetRange(oldest, end.offset(), end.leaderEpoch()));
            } catch (RetriableException noLeader) {
                silent.add(noLeader);
            }
        }
        if (ranges.isEmpty() && !silent.isEmpty()) {
            throw silent.get(0);
        }
        return ranges;
    }

    private static Map<TopicPartition, OffsetSpec> all(Set<TopicPartition> partitions, OffsetSpec spec) {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        partitions.forEach(partition -> specs.put(partition, spec));
        return specs;
    }

    /**
     * For how long a topic keeps a record.
     *
     * @param time empty when it keeps records for ever; a lower bound when entries are missing
     * @param missing configuration entries that the broker does not report
     */
    record TopicRetention(Optional<Duration> time, List<String> missing) {

        /**
         * A topic that is only compacted keeps records for ever; one with {@code compact,delete} keeps them for its
         * retention. A record is deleted with its whole segment, when the newest record of the segment is old enough,
         * and a segment is open for up to {@code segment.ms}.
         */
        static TopicRetention of(Config config) {
            List<String> missing = new ArrayList<>();
            Optional<String> policy = entry(config, TopicConfig.CLEANUP_POLICY_CONFIG, missing);
            Optional<Long> millis = number(config, TopicConfig.RETENTION_MS_CONFIG, missing);
            Optional<Long> segment = number(config, TopicConfig.SEGMENT_MS_CONFIG, missing);
            boolean compacted = policy.filter(each -> !each.contains("delete")).isPresent();
            return compacted || millis.orElse(0L) < 0
                    ? new TopicRetention(Optional.empty(), List.of())
                    : new TopicRetention(
                            Optional.of(Duration.ofMillis(millis.orElse(0L)).plusMillis(segment.orElse(0L))), missing);
        }

        private static Optional<Long> number(Config config, String name, List<String> missing) {
            return entry(config, name, missing).flatMap(text -> {
                try {
                    return Optional.of(Long.parseLong(text.strip()));
                } catch (NumberFormatException noNumber) {
                    missing.add(name);
                    return Optional.empty();
                }
            });
        }

        private static Optional<String> entry(Config config, String name, List<String> missing) {
            ConfigEntry entry = config.get(name);
            if (entry == null || entry.value() == null) {
                missing.add(name);
                return Optional.empty();
            }
            return Optional.of(entry.value());
        }
    }

    /** For how long each topic keeps a record. */
    Map<String, TopicRetention> retention(Collection<String> names) {
        List<ConfigResource> resources = names.stream()
                .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                .toList();
        Map<String, TopicRetention> retention = new HashMap<>();
        get(admin.describeConfigs(resources).all())
                .forEach((resource, config) -> retention.put(resource.name(), TopicRetention.of(config)));
        return retention;
    }

    /** The records that the group has not acknowledged, over all nodes. */
    Backlog backlog(Collection<String> names) {
        Set<TopicPartition> partitions = new HashSet<>();
        topics(names).found().forEach((name, topic) -> {
            for (int number = 0; number < topic.partitions(); number++) {
                partitions.add(new TopicPartition(name, number));
            }
        });
        Map<TopicPartition, Committed> committed = committed();
        List<Backlog.PartitionBacklog> partitionBacklogs = new ArrayList<>();
        offsetRanges(partitions).forEach((partition, range) -> {
            Committed group = committed.get(partition);
            long next = group == null ? range.earliest() : Math.max(range.earliest(), group.offset());
            partitionBacklogs.add(new Backlog.PartitionBacklog(
                    new Position(partition.topic(), partition.partition(), next), Math.max(0, range.end() - next)));
        });
        return new Backlog(partitionBacklogs);
    }

    private static <T> T get(KafkaFuture<T> future) {
        return get(future, System.nanoTime() + TIMEOUT.toNanos());
    }

    private static <T> T get(KafkaFuture<T> future, long deadlineNanos) {
        try {
            return future.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException kafkas) {
                throw kafkas;
            }
            throw new KafkaException(failed.getCause());
        } catch (TimeoutException late) {
            throw new org.apache.kafka.common.errors.TimeoutException(
                    "Kafka did not answer within " + TIMEOUT.toSeconds() + " seconds", late);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(2));
    }
}
