// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.event.InboxEvent;
import io.idembox.spi.Backlog;
import io.idembox.spi.Feed;
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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The polling thread of one consumer and whoever works for it. It only polls, sorts records into lanes and tells Kafka how far
 * they came; handlers and the database are left to others, so that a slow one does not cost the membership in the group.
 *
 * <p>What is told to Kafka is written to the database first. So the group is never ahead of the database, unless the database
 * went back in time; and then {@link StartingPoint} begins with what the database says.
 */
final class KafkaFeed implements Feed, ConsumerRebalanceListener {

    private static final Logger log = LoggerFactory.getLogger(KafkaFeed.class);

    private static final Duration IDLE_POLL = Duration.ofMillis(100);
    private static final Duration BUSY_POLL = Duration.ofMillis(10);
    private static final Duration COMMIT_EVERY = Duration.ofMillis(500);
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);
    private static final Duration COMMIT_PATIENCE = Duration.ofSeconds(5);
    private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

    private final Settings settings;
    private final Inlet inlet;
    private final Bookkeeper books;
    private final ScheduledThreadPoolExecutor workers;
    private final KeyLane.Crew crew;
    private final Thread poller;
    private final Map<TopicPartition, Partition> partitions = new HashMap<>();
    private final ConcurrentLinkedQueue<Runnable> errands = new ConcurrentLinkedQueue<>();
    private volatile boolean paused;
    private volatile boolean standing;
    private volatile boolean stopping;
    private @Nullable KafkaConsumer<byte[], byte[]> consumer;
    private boolean committing;
    private long nextCommitNanos = System.nanoTime();
    private long nextCheckNanos = System.nanoTime() + CHECK_EVERY.toNanos();
    private long nextLookNanos = nextCheckNanos;

    KafkaFeed(Settings settings, Inlet inlet) {
        this.settings = settings;
        this.inlet = inlet;
        int lanes = settings.choices().lanes();
        this.workers = new ScheduledThreadPoolExecutor(lanes, named("kafka-lane"));
        this.workers.setRemoveOnCancelPolicy(true);
        this.crew = new KeyLane.Crew(inlet, workers, settings.choices().batch(), this::stand);
        this.books = new Bookkeeper(settings, inlet, named("kafka-books"));
        this.poller = named("kafka-poll").newThread(this::work);
    }

    private ThreadFactory named(String what) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread =
                    new Thread(task, "idembox-" + what + "-" + settings.consumer() + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** @throws io.idembox.InboxConfigurationException for what cannot work, as far as Kafka answers by now */
    void start() {
        try {
            books.checkAtStart();
            consumer = new KafkaConsumer<>(settings.client());
            consumer.subscribe(settings.topics(), this);
        } catch (RuntimeException refused) {
            books.close();
            workers.shutdownNow();
            throw refused;
        }
        poller.start();
        log.info(
                "Consumer {} reads {} from Kafka as group {}: {}, {} lanes of up to {} records.",
                settings.consumer(),
                settings.topics(),
                settings.group(),
                inlet.policy().mode(),
                settings.choices().lanes(),
                settings.choices().batch());
    }

    @Override
    public void pause(String why) {
        paused = true;
    }

    @Override
    public void resume() {
        paused = false;
    }

    @Override
    public Backlog backlog() {
        return books.backlog();
    }

    /** The consumer stands still for good: nothing more is brought. */
    private void stand(String why) {
        standing = true;
        log.error("Consumer {} takes nothing more from Kafka: {}", settings.consumer(), why);
    }

    private void work() {
        KafkaConsumer<byte[], byte[]> polled = Objects.requireNonNull(consumer);
        try {
            while (!stopping) {
                turn(polled);
            }
        } catch (FencedInstanceIdException twice) {
            log.error(
                    "Consumer {} has ended: another process joined the group with the same group.instance.id. Give each its own.",
                    settings.consumer());
        } catch (RuntimeException | Error fatal) {
            log.error(
                    "Consumer {} has ended: it cannot poll Kafka any more. Start it again.",
                    settings.consumer(),
                    fatal);
        } finally {
            end(polled);
        }
    }

    private void turn(KafkaConsumer<byte[], byte[]> polled) {
        try {
            for (Runnable errand = errands.poll(); errand != null; errand = errands.poll()) {
                errand.run();
            }
            regulate(polled);
            boolean waiting = partitions.values().stream().anyMatch(Partition::isFull) || committing;
            ConsumerRecords<byte[], byte[]> records = polled.poll(waiting ? BUSY_POLL : IDLE_POLL);
            for (TopicPartition name : records.partitions()) {
                Partition partition = partitions.get(name);
                if (partition != null) {
                    partition.add(records.records(name), polled.position(name));
                }
            }
            retakeLost();
            commitInTime();
            lookAtTopicsInTime();
        } catch (WakeupException stopped) {
            // The loop looks whether it is to stop.
        } catch (OffsetOutOfRangeException gone) {
            reopen(gone.partitions(), polled);
        } catch (AuthenticationException | AuthorizationException refused) {
            pauseAfter("Kafka refuses it (" + refused.getMessage() + "). Mend the credentials or the rights", refused);
        } catch (FencedInstanceIdException | InterruptException fatal) {
            throw fatal;
        } catch (KafkaException trouble) {
            pauseAfter("Kafka is in trouble (" + trouble.getMessage() + ")", trouble);
        }
    }

    private void pauseAfter(String what, RuntimeException trouble) {
        log.warn("Consumer {}: {}. Nothing is lost; it goes on trying.", settings.consumer(), what, trouble);
        LockSupport.parkNanos(this, AFTER_TROUBLE.toNanos());
    }

    /** Fetches from those partitions that are read and have room. */
    private void regulate(KafkaConsumer<byte[], byte[]> polled) {
        Set<TopicPartition> toPause = new HashSet<>();
        Set<TopicPartition> toResume = new HashSet<>();
        Set<TopicPartition> still = polled.paused();
        boolean resting = paused || standing;
        for (Partition partition : partitions.values()) {
            boolean wanted = !resting && partition.state() == Partition.State.READING && !partition.isFull();
            if (wanted && still.contains(partition.name())) {
                toResume.add(partition.name());
            } else if (!wanted && !still.contains(partition.name())) {
                toPause.add(partition.name());
            }
        }
        polled.pause(toPause);
        polled.resume(toResume);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        KafkaConsumer<byte[], byte[]> polled = Objects.requireNonNull(consumer);
        assigned.forEach(name -> open(name, polled));
    }

    private void open(TopicPartition name, KafkaConsumer<byte[], byte[]> polled) {
        Partition partition = new Partition(name, crew, settings.choices().lanes());
        Partition earlier = partitions.put(name, partition);
        if (earlier != null) {
            earlier.close();
        }
        // Some position, so that Kafka's client asks nobody for one; nothing is fetched before the right one is known.
        polled.pause(List.of(name));
        polled.seek(name, 0);
        books.open(name, start -> errands.add(() -> begin(partition, start)));
    }

    private void begin(Partition partition, Bookkeeper.Start start) {
        if (partitions.get(partition.name()) != partition) {
            return;
        }
        String stop = start.point().stop();
        if (stop != null) {
            log.error("Consumer {}: {}", settings.consumer(), stop);
            inlet.tell(new InboxEvent.LaneStopped(
                    settings.consumer(), partition.name().toString(), stop));
            partition.stop();
            return;
        }
        if (start.point().remark() != null) {
            log.warn("Consumer {}: {}", settings.consumer(), start.point().remark());
        }
        Objects.requireNonNull(consumer).seek(partition.name(), start.point().offset());
        partition.begin(
                start.tenure(), new Reading(start.incarnation(), start.point().offset()));
    }

    private void reopen(Collection<TopicPartition> names, KafkaConsumer<byte[], byte[]> polled) {
        for (TopicPartition name : List.copyOf(names)) {
            if (partitions.containsKey(name)) {
                open(name, polled);
            }
        }
    }

    /** Somebody took a lane although Kafka says that the partition is ours: whoever is wrong learns it from Kafka. */
    private void retakeLost() {
        List<TopicPartition> lost = new ArrayList<>();
        for (Partition partition : partitions.values()) {
            Tenure tenure = partition.tenure();
            if (partition.state() == Partition.State.READING && tenure != null && !tenure.isHeld()) {
                lost.add(partition.name());
            }
        }
        if (!lost.isEmpty()) {
            log.warn(
                    "Consumer {}: another process took {} over. Kafka has not said so; they are taken back, and read again from"
                            + " what the database has.",
                    settings.consumer(),
                    lost);
            reopen(lost, Objects.requireNonNull(consumer));
        }
    }

    private void commitInTime() {
        if (committing || System.nanoTime() - nextCommitNanos < 0) {
            return;
        }
        nextCommitNanos = System.nanoTime() + COMMIT_EVERY.toNanos();
        boolean all = System.nanoTime() - nextCheckNanos >= 0;
        if (all) {
            nextCheckNanos = System.nanoTime() + CHECK_EVERY.toNanos();
        }
        Map<Partition, Reading> progress = all ? readingsOf(partitions.values()) : progressOf(partitions.values());
        if (!progress.isEmpty()) {
            committing = true;
            books.write(
                    progress,
                    written -> errands.add(() -> {
                        committing = false;
                        tellKafka(progress, written);
                    }));
        }
    }

    /** Also of those where nothing happened: whether the lane is still ours, and the database the same, shows at a write. */
    private static Map<Partition, Reading> readingsOf(Collection<Partition> all) {
        Map<Partition, Reading> readings = new HashMap<>();
        for (Partition partition : all) {
            if (partition.state() == Partition.State.READING) {
                readings.put(partition, partition.reading());
            }
        }
        return readings;
    }

    private static Map<Partition, Reading> progressOf(Collection<Partition> all) {
        Map<Partition, Reading> progress = new HashMap<>();
        for (Partition partition : all) {
            Reading reading = partition.progress();
            if (reading != null) {
                progress.put(partition, reading);
            }
        }
        return progress;
    }

    private void tellKafka(Map<Partition, Reading> progress, Map<Partition, Lanes.Written> written) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        written.forEach((partition, answer) -> {
            boolean ours = partitions.get(partition.name()) == partition;
            if (ours && answer == Lanes.Written.KEPT) {
                offsets.put(
                        partition.name(),
                        new OffsetAndMetadata(
                                Objects.requireNonNull(progress.get(partition)).next()));
            } else if (ours && answer == Lanes.Written.REWOUND) {
                log.error(
                        "Consumer {}: the database went on from an earlier time, as after a failover. What was acknowledged of"
                                + " {} since may be gone there, so it is read again from what the database has.",
                        settings.consumer(),
                        partition.name());
                reopen(List.of(partition.name()), Objects.requireNonNull(consumer));
            }
        });
        if (offsets.isEmpty()) {
            return;
        }
        // Crash here: the database has it, Kafka does not know. It brings those records again, and they are answered
        // DUPLICATE.
        Objects.requireNonNull(consumer).commitAsync(offsets, (told, failed) -> {
            if (failed != null) {
                log.debug("Kafka was not told {}; it is told again.", told, failed);
                return;
            }
            told.forEach((name, offset) -> {
                Partition partition = partitions.get(name);
                if (partition != null) {
                    partition.told(offset.offset());
                }
            });
        });
    }

    private void lookAtTopicsInTime() {
        if (System.nanoTime() - nextLookNanos < 0) {
            return;
        }
        nextLookNanos = System.nanoTime() + CHECK_EVERY.toNanos();
        books.look(topics -> errands.add(() -> {
            List<TopicPartition> other = partitions.values().stream()
                    .filter(partition -> partition.state() == Partition.State.READING)
                    .filter(partition -> topics.containsKey(partition.name().topic())
                            && !topics.get(partition.name().topic()).id().equals(partition.incarnation()))
                    .map(Partition::name)
                    .toList();
            reopen(other, Objects.requireNonNull(consumer));
        }));
    }

    /** What is in flight may end within bounds and is told to Kafka; the rest is brought again to whoever reads next. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        leave(revoked);
    }

    /** It is somebody else's already: nothing is told, and what is in flight finds that out at its commit. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        for (TopicPartition name : lost) {
            Partition partition = partitions.remove(name);
            if (partition != null) {
                int inFlight = partition.inFlight();
                partition.close();
                inlet.tell(new InboxEvent.LanesLeft(settings.consumer(), 1, inFlight, false));
            }
        }
    }

    private void leave(Collection<TopicPartition> names) {
        List<Partition> leaving = new ArrayList<>();
        for (TopicPartition name : names) {
            Partition partition = partitions.remove(name);
            if (partition != null) {
                partition.close();
                leaving.add(partition);
            }
        }
        if (leaving.isEmpty()) {
            return;
        }
        int inFlight = leaving.stream().mapToInt(Partition::inFlight).sum();
        long deadline = System.nanoTime() + settings.choices().drain().toNanos();
        try {
            List<Partition> drained = new ArrayList<>();
            for (Partition partition : leaving) {
                if (partition.awaitIdle(deadline)) {
                    drained.add(partition);
                } else {
                    log.warn(
                            "Consumer {}: handlers of {} did not end within {}. Whoever reads it next runs their messages"
                                    + " again, or finds them done.",
                            settings.consumer(),
                            partition.name(),
                            settings.choices().drain());
                }
            }
            inlet.tell(new InboxEvent.LanesLeft(
                    settings.consumer(), leaving.size(), inFlight, drained.size() == leaving.size()));
            Map<Partition, Reading> progress = progressOf(leaving);
            Map<Partition, Lanes.Written> written = books.writeNow(progress, drained, COMMIT_PATIENCE);
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            written.forEach((partition, answer) -> {
                if (answer == Lanes.Written.KEPT) {
                    offsets.put(
                            partition.name(),
                            new OffsetAndMetadata(Objects.requireNonNull(progress.get(partition))
                                    .next()));
                }
            });
            if (!offsets.isEmpty()) {
                Objects.requireNonNull(consumer).commitSync(offsets, COMMIT_PATIENCE);
            }
        } catch (KafkaException | TimeoutException failed) {
            log.info(
                    "Consumer {}: Kafka was not told how far {} came ({}). It brings some records again.",
                    settings.consumer(),
                    names,
                    failed.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(KafkaConsumer<byte[], byte[]> polled) {
        try {
            leave(List.copyOf(partitions.keySet()));
            polled.close(COMMIT_PATIENCE);
        } catch (RuntimeException failed) {
            log.info("Consumer {}: its Kafka client did not end well: {}", settings.consumer(), failed.toString());
        } finally {
            partitions.values().forEach(Partition::close);
            workers.shutdown();
            books.close();
        }
    }

    @Override
    public void close() {
        stopping = true;
        if (consumer != null) {
            consumer.wakeup();
        }
        try {
            poller.join(settings.choices()
                    .drain()
                    .plus(COMMIT_PATIENCE.multipliedBy(4))
                    .toMillis());
            workers.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
