// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.InboxConfigurationException;
import io.idembox.InboxException;
import io.idembox.spi.Backlog;
import io.idembox.spi.Inlet;
import io.idembox.spi.Lanes;
import io.idembox.spi.Reading;
import io.idembox.spi.Tenure;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Kafka and the database what the polling thread has to know, so that it waits for neither: where partitions begin, how far
 * they came, whether topics are still the same. One thing after the other; answers go back to whoever asked. Thread-safe.
 */
final class Bookkeeper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Bookkeeper.class);

    private static final Duration AGAIN_AFTER = Duration.ofSeconds(1);

    private final Settings settings;
    private final Inlet inlet;
    private final Broker broker;
    private final ScheduledThreadPoolExecutor desk;
    private final Map<TopicPartition, Consumer<Start>> opening = new HashMap<>();
    private boolean openingSoon;
    private final Set<String> retentionChecked = new HashSet<>();
    private @Nullable String trouble;
    private @Nullable Future<?> again;

    /** Where a partition begins, under which tenure. */
    record Start(Tenure tenure, String incarnation, StartingPoint point) {}

    Bookkeeper(Settings settings, Inlet inlet, ThreadFactory threads) {
        this.settings = settings;
        this.inlet = inlet;
        this.broker = new Broker(settings);
        this.desk = new ScheduledThreadPoolExecutor(1, threads);
    }

    /** A broker that is away, or a topic that is not there yet, is no reason not to start. */
    void checkAtStart() {
        try {
            Set<String> there = broker.topics(settings.topics()).keySet();
            Set<String> missing = new HashSet<>(settings.topics());
            missing.removeAll(there);
            if (!missing.isEmpty()) {
                log.warn(
                        "Consumer {}: Kafka has no topic {}. They are read as soon as they are there.",
                        settings.consumer(),
                        missing);
            }
            checkRetention(there);
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

    /** What Kafka can bring again has to be remembered for at least as long. */
    private void checkRetention(Set<String> topics) {
        Optional<Duration> marks = inlet.policy().retention().limit();
        Set<String> unchecked = new HashSet<>(topics);
        unchecked.removeAll(retentionChecked);
        if (unchecked.isEmpty() || marks.isEmpty() || settings.choices().retention() == RetentionCheck.OFF) {
            return;
        }
        try {
            broker.retention(unchecked).forEach((topic, kept) -> {
                if (kept.isEmpty() || kept.get().compareTo(marks.get()) > 0) {
                    unsafe(topic, kept, marks.get());
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

    private void unsafe(String topic, Optional<Duration> kept, Duration marks) {
        String what = "Consumer " + settings.consumer() + " remembers finished messages for " + words(marks)
                + ", but topic " + topic + " keeps records "
                + kept.map(time -> "for " + words(time)).orElse("for ever (retention.ms is -1, or it is compacted)")
                + ". Whoever reads it again from its start has effects twice. Make retention.marks longer than the topic's"
                + " retention.ms, or choose retention(WARN).";
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
    void open(TopicPartition name, Consumer<Start> answer) {
        synchronized (opening) {
            opening.put(name, answer);
            if (openingSoon) {
                return;
            }
            openingSoon = true;
        }
        soon(this::openAll);
    }

    /** All that wait together: a group gives out many at the same time. */
    private void openAll() {
        Map<TopicPartition, Consumer<Start>> waiting;
        synchronized (opening) {
            openingSoon = false;
            waiting = new HashMap<>(opening);
            opening.clear();
        }
        Map<TopicPartition, Consumer<Start>> rest = new HashMap<>(waiting);
        try {
            starts(waiting.keySet()).forEach((name, start) -> {
                Consumer<Start> asked = rest.remove(name);
                if (asked != null) {
                    asked.accept(start);
                }
            });
            trouble = null;
        } catch (RuntimeException away) {
            say(away);
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
    private void say(RuntimeException why) {
        String what = String.valueOf(why.getMessage());
        if (!what.equals(trouble)) {
            trouble = what;
            log.warn(
                    "Consumer {}: where to begin could not be found out. {} It is tried again every second.",
                    settings.consumer(),
                    what,
                    why instanceof InboxException || why instanceof KafkaException ? null : why);
        }
    }

    private Map<TopicPartition, Start> starts(Set<TopicPartition> names) {
        Set<String> topicNames = new HashSet<>();
        names.forEach(name -> topicNames.add(name.topic()));
        Map<String, Broker.Topic> topics = broker.topics(topicNames);
        checkRetention(topics.keySet());
        Set<TopicPartition> there = new HashSet<>(names);
        there.removeIf(name -> !topics.containsKey(name.topic()));
        Map<TopicPartition, Broker.Span> spans = broker.spans(there);
        Map<TopicPartition, Long> committed = broker.committed();
        Map<TopicPartition, Start> starts = new HashMap<>();
        for (TopicPartition name : there) {
            Broker.Span span = spans.get(name);
            Broker.Topic topic = topics.get(name.topic());
            if (span != null && topic != null) {
                starts.put(name, start(name, topic.id(), span, Optional.ofNullable(committed.get(name))));
            }
        }
        return starts;
    }

    private Start start(TopicPartition name, String incarnation, Broker.Span span, Optional<Long> committed) {
        Tenure tenure = inlet.lanes().take(name.topic(), name.partition());
        StartingPoint point = StartingPoint.of(
                new StartingPoint.Known(name, incarnation, span.earliest(), span.end(), committed, tenure.found()),
                settings.firstStart(),
                settings.choices().whenGone());
        if (point.stop() == null) {
            // Written down before anything is read: a first start with LATEST must not become a later one after a
            // crash.
            inlet.lanes().reached(Map.of(tenure, new Reading(incarnation, point.offset())));
        }
        return new Start(tenure, incarnation, point);
    }

    /** Writes down how far partitions came; the answer is empty when the database does not answer. */
    void write(Map<Partition, Reading> progress, Consumer<Map<Partition, Lanes.Written>> answer) {
        soon(() -> answer.accept(written(progress)));
    }

    private Map<Partition, Lanes.Written> written(Map<Partition, Reading> progress) {
        Map<Tenure, Reading> readings = new HashMap<>();
        Map<Tenure, Partition> owners = new HashMap<>();
        progress.forEach((partition, reading) -> {
            Tenure tenure = partition.tenure();
            if (tenure != null) {
                readings.put(tenure, reading);
                owners.put(tenure, partition);
            }
        });
        Map<Partition, Lanes.Written> written = new HashMap<>();
        try {
            inlet.lanes().reached(readings).forEach((tenure, answer) -> written.put(owners.get(tenure), answer));
        } catch (InboxException away) {
            log.debug("Consumer {}: {} Kafka is told later.", settings.consumer(), away.getMessage());
        }
        return written;
    }

    /** The same, waited for; those that are drained are given back as well. */
    Map<Partition, Lanes.Written> writeNow(
            Map<Partition, Reading> progress, Collection<Partition> drained, Duration patience)
            throws InterruptedException, TimeoutException {
        Future<Map<Partition, Lanes.Written>> answer = desk.submit(() -> {
            Map<Partition, Lanes.Written> written = written(progress);
            release(drained);
            return written;
        });
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw new KafkaException(failed.getCause());
        }
    }

    private void release(Collection<Partition> drained) {
        List<Tenure> tenures = new ArrayList<>();
        drained.forEach(partition -> Optional.ofNullable(partition.tenure()).ifPresent(tenures::add));
        for (Tenure tenure : tenures) {
            try {
                tenure.release();
            } catch (InboxException away) {
                log.info(
                        "Consumer {}: that it stopped reading {} could not be written down. Whoever reads it next is careful"
                                + " for a while.",
                        settings.consumer(),
                        tenure);
            }
        }
    }

    /** The topics as they are now; nobody is told when Kafka does not answer. */
    void look(Consumer<Map<String, Broker.Topic>> answer) {
        soon(() -> {
            try {
                answer.accept(broker.topics(settings.topics()));
            } catch (KafkaException away) {
                log.debug("Consumer {}: Kafka did not tell its topics.", settings.consumer(), away);
            }
        });
    }

    Backlog backlog() {
        return broker.backlog(settings.topics());
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
        broker.close();
    }
}
