// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.event.InboxEvent;
import io.idembox.spi.Backlog;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.RunningSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running Kafka source: the polling thread of one consumer and its worker threads. The polling thread only polls,
 * puts records into key queues and commits offsets. Handlers and database calls run on other threads, so a slow one
 * does not cost the membership in the group.
 */
final class KafkaPoller implements RunningSource {

    private static final Logger log = LoggerFactory.getLogger(KafkaPoller.class);

    private static final Duration IDLE_POLL = Duration.ofMillis(100);
    private static final Duration BUSY_POLL = Duration.ofMillis(10);
    private static final Duration ERROR_PAUSE = Duration.ofSeconds(1);
    private static final Duration TOPIC_CHECK_INTERVAL = Duration.ofSeconds(5);

    private final ConsumerSettings settings;
    private final ConsumerEndpoint endpoint;
    private final PartitionCoordinator coordinator;
    private final ScheduledThreadPoolExecutor workers;
    private final KeyQueueWorker.WorkerContext context;
    private final Thread poller;
    private final ConcurrentLinkedQueue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
    private volatile boolean paused;
    private volatile boolean consumerStopped;
    private volatile boolean stopping;
    private volatile @Nullable Membership membership;
    private boolean clientFailed;
    private @Nullable String lastError;
    private long nextTopicCheckNanos = System.nanoTime() + TOPIC_CHECK_INTERVAL.toNanos();

    KafkaPoller(ConsumerSettings settings, ConsumerEndpoint endpoint) {
        this.settings = settings;
        this.endpoint = endpoint;
        int partitions = settings.options().workers();
        this.workers = new ScheduledThreadPoolExecutor(partitions, threadFactory("kafka-worker"));
        this.workers.setRemoveOnCancelPolicy(true);
        this.context = new KeyQueueWorker.WorkerContext(
                endpoint, workers, settings.options().batch(), this::stopFetching);
        this.coordinator = new PartitionCoordinator(settings, endpoint, threadFactory("kafka-positions"));
        this.poller = threadFactory("kafka-poll").newThread(this::run);
    }

    /** A Kafka client and the partitions assigned to it. */
    private record Membership(KafkaConsumer<byte[], byte[]> consumer, Assignment assignment) {}

    private Membership join() {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings.client());
        try {
            Assignment assignment = new Assignment(settings, context, coordinator, consumer, callbacks::add);
            consumer.subscribe(settings.topics(), assignment);
            return new Membership(consumer, assignment);
        } catch (RuntimeException refused) {
            consumer.close(Duration.ZERO);
            throw refused;
        }
    }

    private ThreadFactory threadFactory(String what) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread =
                    new Thread(task, "idembox-" + what + "-" + settings.consumer() + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** @throws io.idembox.InboxConfigurationException for settings that cannot work, as far as Kafka answers already */
    void start() {
        try {
            coordinator.checkAtStart();
            membership = join();
        } catch (RuntimeException refused) {
            coordinator.close();
            workers.shutdownNow();
            throw refused;
        }
        poller.start();
        log.info(
                "Consumer {}: reading {} from Kafka as group {}: mode {}, {} workers, batches of up to {} records.",
                settings.consumer(),
                settings.topics(),
                settings.group(),
                endpoint.policy().mode(),
                settings.options().workers(),
                settings.options().batch());
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
        return coordinator.backlog();
    }

    /** Stops fetching for good, because the consumer has stopped. */
    private void stopFetching(String why) {
        consumerStopped = true;
        log.error("Consumer {}: stopped reading from Kafka. {}", settings.consumer(), why);
    }

    private void run() {
        try {
            while (!stopping) {
                pollOnce();
            }
        } catch (FencedInstanceIdException twice) {
            reportStopped(
                    "another process joined the group with the same group.instance.id. Configure a unique id per process and restart.",
                    null);
        } catch (RuntimeException | Error fatal) {
            reportStopped("polling Kafka failed. Restart the process.", fatal);
        } finally {
            shutDown();
        }
    }

    private void reportStopped(String why, @Nullable Throwable fatal) {
        log.error("Consumer {}: Kafka source stopped: {}", settings.consumer(), why, fatal);
        endpoint.publish(new InboxEvent.PartitionStopped(
                settings.consumer(), settings.topics().toString(), why));
    }

    private void pollOnce() {
        Membership member = Objects.requireNonNull(membership);
        Assignment given = member.assignment();
        try {
            if (clientFailed) {
                rejoin(member);
                return;
            }
            for (Runnable work = callbacks.poll(); work != null; work = callbacks.poll()) {
                work.run();
            }
            given.pauseAndResume(paused || consumerStopped);
            given.add(member.consumer().poll(given.isBusy() ? BUSY_POLL : IDLE_POLL));
            given.retakeLost();
            given.positionWriter().saveWhenDue();
            checkTopicsWhenDue(given);
            lastError = null;
        } catch (WakeupException stopped) {
            // The loop checks whether to stop.
        } catch (LogTruncationException cut) {
            given.reopenTruncated(cut);
        } catch (OffsetOutOfRangeException gone) {
            given.reopen(gone.partitions(), AssignedPartition.Opening.Cause.OUT_OF_RANGE);
        } catch (FencedInstanceIdException | InterruptException fatal) {
            throw fatal;
        } catch (KafkaException trouble) {
            clientFailed |= isFatal(trouble);
            pauseAfter(trouble);
        }
    }

    /** Whether the client cannot recover, such as a client of the new protocol without access to the group. */
    private static boolean isFatal(KafkaException trouble) {
        return trouble instanceof ApiException
                && !(trouble instanceof RetriableException)
                && !(trouble instanceof TopicAuthorizationException);
    }

    private void rejoin(Membership former) {
        former.assignment().loseAll();
        closeQuietly(former.consumer(), Duration.ZERO);
        membership = join();
        clientFailed = false;
    }

    /** Logs the same error once, then waits before the next poll. */
    private void pauseAfter(KafkaException trouble) {
        String what = String.valueOf(trouble.getMessage());
        if (!what.equals(lastError)) {
            lastError = what;
            log.warn(
                    "Consumer {}: {} ({}). No record is lost; retrying every second.",
                    settings.consumer(),
                    trouble instanceof AuthenticationException || trouble instanceof AuthorizationException
                            ? "Kafka refused access; fix the credentials or ACLs"
                            : "Kafka request failed",
                    what,
                    trouble);
        }
        LockSupport.parkNanos(this, ERROR_PAUSE.toNanos());
    }

    private void checkTopicsWhenDue(Assignment given) {
        if (System.nanoTime() - nextTopicCheckNanos >= 0) {
            nextTopicCheckNanos = System.nanoTime() + TOPIC_CHECK_INTERVAL.toNanos();
            coordinator.describeTopics(topics -> callbacks.add(() -> given.reopenRecreatedTopics(topics)));
        }
    }

    private void shutDown() {
        Membership member = Objects.requireNonNull(membership);
        try {
            member.assignment().leaveAll();
        } catch (RuntimeException failed) {
            log.info(
                    "Consumer {}: partitions were not released cleanly: {}. Some records are delivered again.",
                    settings.consumer(),
                    failed.toString());
        } finally {
            member.assignment().loseAll();
            closeQuietly(member.consumer(), PositionWriter.TIMEOUT);
            workers.shutdown();
            coordinator.close();
        }
    }

    private void closeQuietly(KafkaConsumer<byte[], byte[]> consumer, Duration patience) {
        try {
            consumer.close(patience);
        } catch (RuntimeException failed) {
            log.info("Consumer {}: Kafka client did not close cleanly: {}", settings.consumer(), failed.toString());
        }
    }

    @Override
    public void close() {
        stopping = true;
        Membership member = membership;
        if (member != null) {
            member.consumer().wakeup();
        }
        try {
            poller.join(settings.options()
                    .drain()
                    .plus(PositionWriter.TIMEOUT.multipliedBy(4))
                    .toMillis());
            workers.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
