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
 * Asks Kafka and the database what the polling thread has to know, so that it waits for neither: where partitions begin, how far
 * they came, whether topics are still the same. One thing after the other; answers go back to whoever asked. Thread-safe.
 */
final class PartitionCoordinator implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PartitionCoordinator.class);

    private static final Duration AGAIN_AFTER = Duration.ofSeconds(1);

    private final ConsumerSettings settings;
    private final ConsumerEndpoint endpoint;
    private final KafkaAdminClient admin;
    private final ScheduledThreadPoolExecutor desk;
    private final Map<AssignedPartition, Consumer<Start>> opening = new HashMap<>();
    private boolean openingSoon;
    private final Set<String> retentionChecked = new HashSet<>();
    private final Set<String> refusedTopics = new HashSet<>();
    private final Map<String, Integer> sizesAtFirst = new HashMap<>();
    private @Nullable String trouble;
    private @Nullable Future<?> again;

    /** Where a partition begins, under which tenure. */
    record Start(PartitionOwnership ownership, StartingPoint point) {}

    private record Taken(PartitionOwnership ownership, String incarnation) {}

    PartitionCoordinator(ConsumerSettings settings, ConsumerEndpoint endpoint, ThreadFactory threads) {
        this.settings = settings;
        this.endpoint = endpoint;
        this.admin = new KafkaAdminClient(settings);
        this.desk = new ScheduledThreadPoolExecutor(1, threads);
    }

    /** A broker that is away, or a topic that is not there yet, is no reason not to start. */
    void checkAtStart() {
        try {
            Set<String> there = topics().keySet();
            Set<String> missing = new HashSet<>(settings.topics());
            missing.removeAll(there);
            if (!missing.isEmpty()) {
                log.warn(
                        "Consumer {}: Kafka has no topic {}, or does not show it. They are read as soon as they are there.",
                        settings.consumer(),
                        missing);
            }
            checkRetention(there);
        } catch (InvalidTopicException impossible) {
            throw new InboxConfigurationException("Consumer " + settings.consumer()
                    + " cannot read from Kafka: there is no such name for a topic (" + impossible.getMessage()
                    + "). Mend the topics of the source.");
        } catch (AuthorizationException refused) {
            log.warn(
                    "Consumer {}: Kafka refuses it ({}). It goes on trying; mend its rights.",
                    settings.consumer(),
                    refused.getMessage());
        } catch (AuthenticationException refused) {
            throw new InboxConfigurationException("Consumer " + settings.consumer()
                    + " cannot read from Kafka: its credentials are refused (" + refused.getMessage()
                    + "). Mend the security settings of the source.");
        } catch (KafkaException away) {
            log.warn(
                    "Consumer {}: Kafka does not answer ({}). It is waited for; nothing is lost.",
                    settings.consumer(),
                    away.getMessage());
        }
    }

    /** Those that are there; how many partitions each had at first is remembered. */
    private Map<String, KafkaAdminClient.Topic> topics() {
        KafkaAdminClient.Topics said = admin.topics(settings.topics());
        said.found().forEach((name, topic) -> sizesAtFirst.putIfAbsent(name, topic.partitions()));
        said.missing().forEach(name -> sizesAtFirst.putIfAbsent(name, 0));
        return said.found();
    }

    /** What was added while somebody read has no record that is older than the reading. */
    private FirstStart firstStart(TopicPartition name) {
        boolean added = name.partition() >= sizesAtFirst.getOrDefault(name.topic(), Integer.MAX_VALUE);
        return added && settings.firstStart() == FirstStart.LATEST ? FirstStart.EARLIEST : settings.firstStart();
    }

    /** What Kafka can bring again has to be remembered for at least as long. */
    private void checkRetention(Set<String> topics) {
        Optional<Duration> rows = endpoint.policy().retention().limit();
        Set<String> unchecked = new HashSet<>(topics);
        unchecked.removeAll(retentionChecked);
        if (unchecked.isEmpty() || rows.isEmpty() || settings.choices().retention() == RetentionCheck.OFF) {
            return;
        }
        try {
            admin.retention(unchecked).forEach((topic, kept) -> {
                if (kept.time().isEmpty() || kept.time().get().compareTo(rows.get()) > 0) {
                    unsafe(topic, kept.time(), rows.get());
                } else if (!kept.missing().isEmpty()) {
                    log.warn(
                            "Consumer {}: for how long {} keeps its records is not known, because Kafka does not report {}. Check"
                                    + " that it is not longer than retention.ledger, or choose retention(OFF).",
                            settings.consumer(),
                            topic,
                            kept.missing());
                }
            });
        } catch (AuthorizationException secret) {
            log.warn(
                    "Consumer {}: for how long {} keep their records could not be found out ({}). Allow DescribeConfigs on"
                            + " them, or choose retention(OFF).",
                    settings.consumer(),
                    unchecked,
                    secret.getMessage());
        }
        retentionChecked.addAll(unchecked);
    }

    private void unsafe(String topic, Optional<Duration> kept, Duration rows) {
        String what = "Consumer " + settings.consumer() + " remembers finished messages for " + words(rows)
                + ", but topic " + topic + " keeps records "
                + kept.map(time -> "for up to " + words(time) + " (retention.ms and segment.ms together)")
                        .orElse("for ever (retention.ms is -1, or it is compacted)")
                + ". Whoever reads it again from its start has effects twice. Make retention.ledger longer than that,"
                + " or choose retention(WARN).";
        if (settings.choices().retention() == RetentionCheck.REFUSE) {
            throw new InboxConfigurationException(what);
        }
        log.warn(what);
    }

    private static String words(Duration time) {
        if (time.toMillis() % Duration.ofDays(1).toMillis() == 0) {
            return time.toDays() + " days";
        }
        return time.toMillis() % Duration.ofHours(1).toMillis() == 0 ? time.toHours() + " hours" : time.toString();
    }

    /** Finds out where the partition begins, for as long as it takes. */
    void open(AssignedPartition partition, Consumer<Start> answer) {
        synchronized (opening) {
            opening.put(partition, answer);
            if (openingSoon) {
                return;
            }
            openingSoon = true;
        }
        soon(this::openAll);
    }

    /** All that wait together: a group gives out many at the same time. */
    private void openAll() {
        Map<AssignedPartition, Consumer<Start>> rest;
        synchronized (opening) {
            openingSoon = false;
            rest = new HashMap<>(opening);
            opening.clear();
        }
        // Some were taken away meanwhile, and their lanes are somebody else's.
        rest.keySet().removeIf(partition -> partition.state() != AssignedPartition.State.OPENING);
        try {
            starts(rest.keySet()).forEach((partition, start) -> {
                Consumer<Start> asked = rest.remove(partition);
                if (asked != null) {
                    asked.accept(start);
                }
            });
            if (rest.isEmpty()) {
                trouble = null;
            } else {
                say(
                        "Kafka has no leader, one of an earlier epoch, or nothing at all, for "
                                + rest.keySet().stream()
                                        .map(AssignedPartition::name)
                                        .toList() + ".",
                        null);
            }
        } catch (RuntimeException | Error away) {
            say(String.valueOf(away.getMessage()), away);
        }
        if (!rest.isEmpty()) {
            synchronized (opening) {
                rest.forEach(opening::putIfAbsent);
                openingSoon = true;
            }
            openAgain();
        }
    }

    /** Once, and again when it is something else. */
    private void say(String what, @Nullable Throwable why) {
        if (!what.equals(trouble)) {
            trouble = what;
            log.warn(
                    "Consumer {}: where to begin could not be found out. {} It is tried again every second.",
                    settings.consumer(),
                    sentence(what),
                    why instanceof InboxException || why instanceof KafkaException ? null : why);
        }
    }

    /** Error texts of Kafka and the database may or may not end with a full stop. */
    static String sentence(String what) {
        return what.strip().replaceFirst("\\.*$", "") + ".";
    }

    /**
     * Of those that Kafka says enough about. Its records are asked for last: whoever reads until the lane is taken may still bring
     * the group and the database forward, and they must not be ahead of what Kafka is said to have.
     */
    private Map<AssignedPartition, Start> starts(Set<AssignedPartition> partitions) {
        Map<String, KafkaAdminClient.Topic> topics = topics();
        Map<TopicPartition, KafkaAdminClient.Committed> committed = admin.committed();
        Map<AssignedPartition, Taken> lanes = new HashMap<>();
        Set<TopicPartition> names = new HashSet<>();
        for (AssignedPartition partition : partitions) {
            TopicPartition name = partition.name();
            KafkaAdminClient.Topic topic = topics.get(name.topic());
            if (topic != null && name.partition() < topic.partitions() && isKeptLongEnough(name.topic())) {
                lanes.put(partition, new Taken(endpoint.partitions().take(name.topic(), name.partition()), topic.id()));
                names.add(name);
            }
        }
        Map<TopicPartition, KafkaAdminClient.Span> spans = names.isEmpty() ? Map.of() : admin.spans(names);
        Map<AssignedPartition, Start> starts = new HashMap<>();
        lanes.forEach((partition, taken) -> {
            TopicPartition name = partition.name();
            KafkaAdminClient.Span span = spans.get(name);
            if (span != null) {
                StartingPoint.Known known = new StartingPoint.Known(
                        new StartingPoint.Reader(settings.consumer(), endpoint.firstName()),
                        name,
                        taken.incarnation(),
                        span,
                        Optional.ofNullable(committed.get(name)),
                        taken.ownership().position(),
                        partition.opening());
                if (!known.waitsForItsLeader(System.nanoTime())) {
                    starts.put(partition, start(known, taken.ownership()));
                }
            }
        });
        warnOfForeignOffsets(starts);
        return starts;
    }

    /** One warning for all partitions. */
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
                            + " records are not read, and a record that is delivered again is not known as a duplicate. If the consumer"
                            + " was renamed, configure renamed(...); to read everything, reset the group's offsets to the earliest.",
                    settings.consumer(),
                    settings.group(),
                    String.join(", ", foreign.stream().sorted().toList()));
        }
    }

    /** A topic that came late and is refused does not hold the others. */
    private boolean isKeptLongEnough(String topic) {
        try {
            checkRetention(Set.of(topic));
            return true;
        } catch (InboxConfigurationException refused) {
            if (refusedTopics.add(topic)) {
                log.error("{} Nothing of {} is read until then.", refused.getMessage(), topic);
            }
            return false;
        }
    }

    private Start start(StartingPoint.Known known, PartitionOwnership ownership) {
        StartingPoint point = StartingPoint.of(
                known, firstStart(known.partition()), settings.choices().onDataLoss());
        if (!point.isStopped()) {
            // Written down before anything is read: a first start with LATEST must not become a later one after a
            // crash. And before the commit to Kafka: an offset with our mark and no position means that the database
            // lost it.
            endpoint.partitions().savePositions(Map.of(ownership, point.position()));
        }
        return new Start(ownership, point);
    }

    /** What is written to Kafka beside the offset of a reading. */
    String mark(ReadPosition position) {
        return CommitMark.text(position.incarnation(), endpoint.firstName(), position.first());
    }

    /** Writes down how far partitions came; the answer is empty when the database does not answer. */
    void write(
            Map<AssignedPartition, ReadPosition> progress,
            Consumer<Map<AssignedPartition, Partitions.SaveResult>> answer) {
        soon(() -> answer.accept(written(progress)));
    }

    private Map<AssignedPartition, Partitions.SaveResult> written(Map<AssignedPartition, ReadPosition> progress) {
        Map<PartitionOwnership, ReadPosition> positions = new HashMap<>();
        Map<PartitionOwnership, AssignedPartition> owners = new HashMap<>();
        progress.forEach((partition, position) -> {
            PartitionOwnership ownership = partition.tenure();
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
            log.debug("Consumer {}: {} Kafka is told later.", settings.consumer(), away.getMessage());
        } catch (RuntimeException unexpected) {
            // Whoever asked waits for an answer before it asks again.
            log.error("Consumer {}: how far it came could not be written down.", settings.consumer(), unexpected);
        }
        return saveResult;
    }

    /** The same, waited for; those that are drained are given back as well. */
    Map<AssignedPartition, Partitions.SaveResult> writeNow(
            Map<AssignedPartition, ReadPosition> progress, Collection<AssignedPartition> drained, Duration patience)
            throws InterruptedException, TimeoutException {
        Future<Map<AssignedPartition, Partitions.SaveResult>> answer = desk.submit(() -> {
            Map<AssignedPartition, Partitions.SaveResult> saveResult = written(progress);
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
        drained.forEach(partition -> Optional.ofNullable(partition.tenure()).ifPresent(ownerships::add));
        for (PartitionOwnership ownership : ownerships) {
            try {
                ownership.release();
            } catch (InboxException away) {
                log.info(
                        "Consumer {}: that it stopped reading {} could not be written down. Whoever reads it next is careful"
                                + " for a while.",
                        settings.consumer(),
                        ownership);
            }
        }
    }

    /** The topics as they are now; nobody is told when Kafka does not answer. */
    void look(Consumer<Map<String, KafkaAdminClient.Topic>> answer) {
        soon(() -> {
            try {
                answer.accept(admin.topics(settings.topics()).found());
            } catch (KafkaException away) {
                log.debug("Consumer {}: Kafka did not tell its topics.", settings.consumer(), away);
            }
        });
    }

    Backlog backlog() {
        return admin.backlog(settings.topics());
    }

    private void soon(Runnable task) {
        try {
            desk.execute(guarded(task));
        } catch (RejectedExecutionException closed) {
            log.debug("Consumer {} is closing.", settings.consumer());
        }
    }

    private void openAgain() {
        try {
            again = desk.schedule(guarded(this::openAll), AGAIN_AFTER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("Consumer {} is closing.", settings.consumer());
        }
    }

    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error unexpected) {
                log.error("Consumer {}: its books are in trouble.", settings.consumer(), unexpected);
            }
        };
    }

    @Override
    public void close() {
        if (again != null) {
            again.cancel(false);
        }
        desk.shutdownNow();
        admin.close();
    }
}
