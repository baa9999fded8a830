// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.InboxConfigurationException;
import io.idembox.InboxException;
import io.idembox.spi.Backlog;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
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
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the blocking calls to Kafka and the database on behalf of the polling thread: determines starting points, saves
 * positions, and checks whether topics are still the same. Tasks run one after the other on one thread; results are
 * passed to a callback. Thread-safe.
 */
final class PartitionCoordinator implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PartitionCoordinator.class);

    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

    private final ConsumerSettings settings;
    private final ConsumerEndpoint endpoint;
    private final KafkaAdminClient admin;
    private final ScheduledThreadPoolExecutor executor;
    private final Map<AssignedPartition, Consumer<Start>> opening = new HashMap<>();
    private boolean openScheduled;
    private final Set<String> retentionChecked = new HashSet<>();
    private final Set<String> refusedTopics = new HashSet<>();
    private final Map<String, Integer> initialPartitionCounts = new HashMap<>();
    private @Nullable String lastError;
    private @Nullable Future<?> retry;

    /** The starting point of a partition and the ownership under which it is read. */
    record Start(PartitionOwnership ownership, StartingPoint point) {}

    private record TakenPartition(PartitionOwnership ownership, String topicId) {}

    PartitionCoordinator(ConsumerSettings settings, ConsumerEndpoint endpoint, ThreadFactory threads) {
        this.settings = settings;
        this.endpoint = endpoint;
        this.admin = new KafkaAdminClient(settings);
        this.executor = new ScheduledThreadPoolExecutor(1, threads);
    }

    /** Refuses settings that cannot work. An unavailable broker or a missing topic does not prevent the start. */
    void checkAtStart() {
        try {
            Set<String> there = topics().keySet();
            Set<String> missing = new HashSet<>(settings.topics());
            missing.removeAll(there);
            if (!missing.isEmpty()) {
                log.warn(
                        "Consumer {}: topics {} do not exist or are not visible to this user; reading starts when they appear.",
                        settings.consumer(),
                        missing);
            }
            checkRetention(there);
        } catch (InvalidTopicException impossible) {
            throw new InboxConfigurationException("Consumer " + settings.consumer()
                    + " cannot read from Kafka: invalid topic name (" + impossible.getMessage()
                    + "). Fix the topics of the source.");
        } catch (AuthorizationException refused) {
            log.warn(
                    "Consumer {}: Kafka refused access ({}). Retrying; fix the ACLs of this user.",
                    settings.consumer(),
                    refused.getMessage());
        } catch (AuthenticationException refused) {
            throw new InboxConfigurationException("Consumer " + settings.consumer()
                    + " cannot read from Kafka: its credentials were refused (" + refused.getMessage()
                    + "). Fix the security settings of the source.");
        } catch (KafkaException away) {
            log.warn(
                    "Consumer {}: Kafka does not answer ({}). Retrying until it does; no record is lost.",
                    settings.consumer(),
                    away.getMessage());
        }
    }

    /** The existing topics. Stores how many partitions each had at first. */
    private Map<String, KafkaAdminClient.Topic> topics() {
        KafkaAdminClient.Topics said = admin.topics(settings.topics());
        said.found().forEach((name, topic) -> initialPartitionCounts.putIfAbsent(name, topic.partitions()));
        said.missing().forEach(name -> initialPartitionCounts.putIfAbsent(name, 0));
        return said.found();
    }

    /**
     * A partition that was added after the start is read from its beginning: all its records are newer than the start.
     */
    private FirstStart firstStart(TopicPartition name) {
        boolean added = name.partition() >= initialPartitionCounts.getOrDefault(name.topic(), Integer.MAX_VALUE);
        return added && settings.firstStart() == FirstStart.LATEST ? FirstStart.EARLIEST : settings.firstStart();
    }

    /** Checks that ledger rows are kept for at least as long as Kafka can deliver a record again. */
    private void checkRetention(Set<String> topics) {
        Optional<Duration> rows = endpoint.policy().retention().limit();
        Set<String> unchecked = new HashSet<>(topics);
        unchecked.removeAll(retentionChecked);
        if (unchecked.isEmpty() || rows.isEmpty() || settings.options().retention() == RetentionCheck.OFF) {
            return;
        }
        try {
            admin.retention(unchecked).forEach((topic, topicRetention) -> {
                if (topicRetention.time().isEmpty()
                        || topicRetention.time().get().compareTo(rows.get()) > 0) {
                    reportTooLongRetention(topic, topicRetention.time(), rows.get());
                } else if (!topicRetention.missing().isEmpty()) {
                    log.warn(
                            "Consumer {}: the retention of {} is unknown, because Kafka does not report {}. Check that it is"
                                    + " not longer than retention.ledger, or configure retention(OFF).",
                            settings.consumer(),
                            topic,
                            topicRetention.missing());
                }
            });
        } catch (AuthorizationException secret) {
            log.warn(
                    "Consumer {}: could not read the retention of {} ({}). Allow DescribeConfigs on these topics,"
                            + " or configure retention(OFF).",
                    settings.consumer(),
                    unchecked,
                    secret.getMessage());
        }
        retentionChecked.addAll(unchecked);
    }

    private void reportTooLongRetention(String topic, Optional<Duration> kept, Duration rows) {
        String what = "Consumer " + settings.consumer() + " keeps ledger rows for " + format(rows)
                + ", but topic " + topic + " keeps records "
                + kept.map(time -> "for up to " + format(time) + " (retention.ms and segment.ms together)")
                        .orElse("for ever (retention.ms is -1, or it is compacted)")
                + ". Reading it again from its start would repeat effects. Make retention.ledger longer than that,"
                + " or configure retention(WARN).";
        if (settings.options().retention() == RetentionCheck.REFUSE) {
            throw new InboxConfigurationException(what);
        }
        log.warn(what);
    }

    private static String format(Duration time) {
        if (time.toMillis() % Duration.ofDays(1).toMillis() == 0) {
            return time.toDays() + " days";
        }
        return time.toMillis() % Duration.ofHours(1).toMillis() == 0 ? time.toHours() + " hours" : time.toString();
    }

    /** Determines the starting point of the partition and retries until it succeeds. */
    void open(AssignedPartition partition, Consumer<Start> answer) {
        synchronized (opening) {
            opening.put(partition, answer);
            if (openScheduled) {
                return;
            }
            openScheduled = true;
        }
        execute(this::openAll);
    }

    /** Opens all waiting partitions together: a group assigns many at the same time. */
    private void openAll() {
        Map<AssignedPartition, Consumer<Start>> rest;
        synchronized (opening) {
            openScheduled = false;
            rest = new HashMap<>(opening);
            opening.clear();
        }
        // Some may have been revoked meanwhile and belong to another process.
        rest.keySet().removeIf(partition -> partition.state() != AssignedPartition.State.OPENING);
        try {
            starts(rest.keySet()).forEach((partition, start) -> {
                Consumer<Start> asked = rest.remove(partition);
                if (asked != null) {
                    asked.accept(start);
                }
            });
            if (rest.isEmpty()) {
                lastError = null;
            } else {
                logOnce(
                        "Kafka reports no leader, a leader of an earlier epoch, or no such partition, for "
                                + rest.keySet().stream()
                                        .map(AssignedPartition::name)
                                        .toList() + ".",
                        null);
            }
        } catch (RuntimeException | Error away) {
            logOnce(String.valueOf(away.getMessage()), away);
        }
        if (!rest.isEmpty()) {
            synchronized (opening) {
                rest.forEach(opening::putIfAbsent);
                openScheduled = true;
            }
            scheduleRetry();
        }
    }

    /** Logs the same error once. */
    private void logOnce(String what, @Nullable Throwable why) {
        if (!what.equals(lastError)) {
            lastError = what;
            log.warn(
                    "Consumer {}: could not determine where to start reading. {} Retrying every second.",
                    settings.consumer(),
                    sentence(what),
                    why instanceof InboxException || why instanceof KafkaException ? null : why);
        }
    }

    /** Ends the text with one full stop: error texts of Kafka and the database may or may not have one. */
    static String sentence(String what) {
        return what.strip().replaceFirst("\\.*$", "") + ".";
    }

    /**
     * The starting points of those partitions that Kafka reports enough about.
     *
     * <p>Race: until its ownership is taken, the previous owner may still move the group's offset and the position
     * forward. Kafka's offsets are read last, so that neither is ahead of the end that Kafka reported.
     */
    private Map<AssignedPartition, Start> starts(Set<AssignedPartition> partitions) {
        Map<String, KafkaAdminClient.Topic> topics = topics();
        Map<TopicPartition, KafkaAdminClient.Committed> committed = admin.committed();
        Map<AssignedPartition, TakenPartition> lanes = new HashMap<>();
        Set<TopicPartition> names = new HashSet<>();
        for (AssignedPartition partition : partitions) {
            TopicPartition name = partition.name();
            KafkaAdminClient.Topic topic = topics.get(name.topic());
            if (topic != null && name.partition() < topic.partitions() && passesRetentionCheck(name.topic())) {
                lanes.put(
                        partition,
                        new TakenPartition(endpoint.partitions().take(name.topic(), name.partition()), topic.id()));
                names.add(name);
            }
        }
        Map<TopicPartition, KafkaAdminClient.OffsetRange> ranges =
                names.isEmpty() ? Map.of() : admin.offsetRanges(names);
        Map<AssignedPartition, Start> starts = new HashMap<>();
        lanes.forEach((partition, takenPartition) -> {
            TopicPartition name = partition.name();
            KafkaAdminClient.OffsetRange range = ranges.get(name);
            if (range != null) {
                StartingPoint.Known known = new StartingPoint.Known(
                        new StartingPoint.Reader(settings.consumer(), endpoint.originalName()),
                        name,
                        takenPartition.topicId(),
                        range,
                        Optional.ofNullable(committed.get(name)),
                        takenPartition.ownership().position(),
                        partition.opening());
                if (!known.waitsForLeader(System.nanoTime())) {
                    starts.put(partition, start(known, takenPartition.ownership()));
                }
            }
        });
        warnOfForeignOffsets(starts);
        return starts;
    }

    /** Logs one warning for all partitions. */
    private void warnOfForeignOffsets(Map<AssignedPartition, Start> starts) {
        List<String> foreign = new ArrayList<>();
        starts.forEach((partition, start) -> {
            if (start.point().finding() == StartingPoint.Finding.FOREIGN_OFFSET) {
                foreign.add(partition.name() + " at " + start.point().position().next());
            }
        });
        if (!foreign.isEmpty()) {
            log.warn(
                    "Consumer {} starts at offsets of group {} that it did not commit ({}); the database has no position there. Earlier"
                            + " records are not read, and records delivered again are not detected as duplicates. If the consumer"
                            + " was renamed, configure renamed(...); to read everything, reset the group's offsets to the earliest.",
                    settings.consumer(),
                    settings.group(),
                    String.join(", ", foreign.stream().sorted().toList()));
        }
    }

    /** Checks a topic that was created after the start; if it is refused, the other topics are still read. */
    private boolean passesRetentionCheck(String topic) {
        try {
            checkRetention(Set.of(topic));
            return true;
        } catch (InboxConfigurationException refused) {
            if (refusedTopics.add(topic)) {
                log.error("{} Topic {} is not read until then.", refused.getMessage(), topic);
            }
            return false;
        }
    }

    private Start start(StartingPoint.Known known, PartitionOwnership ownership) {
        StartingPoint point = StartingPoint.of(
                known, firstStart(known.partition()), settings.options().onDataLoss());
        if (!point.isStopped()) {
            // Saved before anything is read: after a crash, a first start with LATEST must not start at a later end.
            // And before the commit to Kafka: an offset with our mark and no position means that the database lost
            // its position.
            endpoint.partitions().savePositions(Map.of(ownership, point.position()));
        }
        return new Start(ownership, point);
    }

    /** The metadata to commit to Kafka with the offset of this position. */
    String mark(ReadPosition position) {
        return CommitMark.format(position.incarnation(), endpoint.originalName(), position.first());
    }

    /** Saves positions in the database; the answer is empty when the database is unavailable. */
    void save(
            Map<AssignedPartition, ReadPosition> progress,
            Consumer<Map<AssignedPartition, Partitions.SaveResult>> answer) {
        execute(() -> answer.accept(saveNow(progress)));
    }

    private Map<AssignedPartition, Partitions.SaveResult> saveNow(Map<AssignedPartition, ReadPosition> progress) {
        Map<PartitionOwnership, ReadPosition> positions = new HashMap<>();
        Map<PartitionOwnership, AssignedPartition> owners = new HashMap<>();
        progress.forEach((partition, position) -> {
            PartitionOwnership ownership = partition.ownership();
            if (ownership != null) {
                positions.put(ownership, position);
                owners.put(ownership, partition);
            }
        });
        Map<AssignedPartition, Partitions.SaveResult> saveResult = new HashMap<>();
        try {
            endpoint.partitions()
                    .savePositions(positions)
                    .forEach((ownership, answer) -> saveResult.put(owners.get(ownership), answer));
        } catch (InboxException away) {
            log.debug(
                    "Consumer {}: could not save positions: {} Offsets are committed later.",
                    settings.consumer(),
                    away.getMessage());
        } catch (RuntimeException unexpected) {
            // Not rethrown: the position writer waits for an answer before it saves again.
            log.error(
                    "Consumer {}: unexpected error while saving positions; saved again with the next positions.",
                    settings.consumer(),
                    unexpected);
        }
        return saveResult;
    }

    /** Saves positions, waits for the result, and releases the drained partitions. */
    Map<AssignedPartition, Partitions.SaveResult> saveAndRelease(
            Map<AssignedPartition, ReadPosition> progress, Collection<AssignedPartition> drained, Duration patience)
            throws InterruptedException, TimeoutException {
        Future<Map<AssignedPartition, Partitions.SaveResult>> answer = executor.submit(() -> {
            Map<AssignedPartition, Partitions.SaveResult> saveResult = saveNow(progress);
            release(drained);
            return saveResult;
        });
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw new KafkaException(failed.getCause());
        }
    }

    private void release(Collection<AssignedPartition> drained) {
        List<PartitionOwnership> ownerships = new ArrayList<>();
        drained.forEach(partition -> Optional.ofNullable(partition.ownership()).ifPresent(ownerships::add));
        for (PartitionOwnership ownership : ownerships) {
            try {
                ownership.release();
            } catch (InboxException away) {
                log.info(
                        "Consumer {}: could not release {}. Its next owner handles the first messages one at a time, as after a"
                                + " crash.",
                        settings.consumer(),
                        ownership);
            }
        }
    }

    /** Passes the current topics to the callback; does not call it when Kafka does not answer. */
    void describeTopics(Consumer<Map<String, KafkaAdminClient.Topic>> answer) {
        execute(() -> {
            try {
                answer.accept(admin.topics(settings.topics()).found());
            } catch (KafkaException away) {
                log.debug("Consumer {}: could not describe the topics.", settings.consumer(), away);
            }
        });
    }

    Backlog backlog() {
        return admin.backlog(settings.topics());
    }

    private void execute(Runnable task) {
        try {
            executor.execute(guarded(task));
        } catch (RejectedExecutionException closed) {
            log.debug("Consumer {} is closing.", settings.consumer());
        }
    }

    private void scheduleRetry() {
        try {
            retry = executor.schedule(guarded(this::openAll), RETRY_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("Consumer {} is closing.", settings.consumer());
        }
    }

    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error unexpected) {
                log.error(
                        "Consumer {}: unexpected error in the partition coordinator; polling continues.",
                        settings.consumer(),
                        unexpected);
            }
        };
    }

    @Override
    public void close() {
        if (retry != null) {
            retry.cancel(false);
        }
        executor.shutdownNow();
        admin.close();
    }
}
