// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.ConsumerStoppedException;
import io.idembox.StoreUnavailableException;
import io.idembox.spi.ConsumerEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue for some of the keys of one partition. Handles their records one batch after the other, in order. A
 * released record holds the later records of its key and of no other key. After each batch the queue waits behind the
 * other queues for a worker thread. Thread-safe.
 */
final class KeyQueueWorker {

    private static final Logger log = LoggerFactory.getLogger(KeyQueueWorker.class);

    /** Shared by all key queues of a source. */
    record WorkerContext(
            ConsumerEndpoint endpoint, ScheduledExecutorService workers, int batch, Consumer<String> stopped) {}

    private final WorkerContext context;
    private final OffsetTracker offsetTracker;
    private final TreeMap<Long, KafkaDelivery> deliveries = new TreeMap<>();
    private boolean queued;
    private boolean running;
    private boolean closed;
    private long wakeNanos = Long.MAX_VALUE;
    private long bytes;
    private @Nullable Future<?> wakeUp;

    KeyQueueWorker(WorkerContext context, OffsetTracker offsetTracker) {
        this.context = context;
        this.offsetTracker = offsetTracker;
    }

    synchronized void add(List<KafkaDelivery> more) {
        if (closed) {
            return;
        }
        for (KafkaDelivery delivery : more) {
            deliveries.put(delivery.offset(), delivery);
            bytes += delivery.bytes();
        }
        scheduleNext();
    }

    synchronized int size() {
        return deliveries.size();
    }

    synchronized long bytes() {
        return bytes;
    }

    /** Starts no further batch. A running batch ends normally. */
    synchronized void close() {
        closed = true;
        deliveries.clear();
        if (wakeUp != null) {
            wakeUp.cancel(false);
        }
        notifyAll();
    }

    /** Waits until no batch is running; false on timeout. */
    synchronized boolean awaitIdle(long deadlineNanos) throws InterruptedException {
        while (running) {
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    /** Handles one batch only: other queues wait for this thread. */
    private void run() {
        List<KafkaDelivery> batch = takeBatch();
        if (!batch.isEmpty()) {
            handle(batch);
            finishBatch(batch);
        }
    }

    /** Takes the next batch; empty when nothing is due or the queue is closed. */
    private synchronized List<KafkaDelivery> takeBatch() {
        queued = false;
        List<KafkaDelivery> batch = closed ? List.of() : dueDeliveries();
        running = !batch.isEmpty();
        if (!running) {
            scheduleNext();
        }
        return batch;
    }

    private synchronized void finishBatch(List<KafkaDelivery> batch) {
        settle(batch);
        running = false;
        notifyAll();
        scheduleNext();
    }

    /** The deliveries that are due and not held by an earlier one of their key, in order. */
    private List<KafkaDelivery> dueDeliveries() {
        long now = System.nanoTime();
        List<KafkaDelivery> batch = new ArrayList<>();
        Set<String> held = new HashSet<>();
        for (KafkaDelivery delivery : deliveries.values()) {
            @Nullable String key = delivery.key();
            if (delivery.isDue(now) && (key == null || !held.contains(key))) {
                batch.add(delivery);
                if (batch.size() == context.batch()) {
                    break;
                }
            } else if (key != null) {
                held.add(key);
            }
        }
        return batch;
    }

    /** Schedules the next batch, now or when a delivery is due. The caller holds the lock. */
    private void scheduleNext() {
        if (queued || running || closed || deliveries.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        long wait = nanosUntilDue(now);
        if (wait <= 0) {
            queued = true;
            context.workers().execute(this::run);
        } else if (now + wait < wakeNanos) {
            wakeNanos = now + wait;
            wakeUp = context.workers().schedule(this::wake, wait, TimeUnit.NANOSECONDS);
        }
    }

    /** The time until a delivery is due. Only the first record of a key counts: the others wait for it. */
    private long nanosUntilDue(long now) {
        Set<String> seen = new HashSet<>();
        long wait = Long.MAX_VALUE;
        for (KafkaDelivery delivery : deliveries.values()) {
            @Nullable String key = delivery.key();
            if (key == null || seen.add(key)) {
                wait = Math.min(wait, delivery.dueNanos() - now);
                if (wait <= 0) {
                    break;
                }
            }
        }
        return wait;
    }

    private synchronized void wake() {
        wakeNanos = Long.MAX_VALUE;
        scheduleNext();
    }

    private void handle(List<KafkaDelivery> batch) {
        try {
            context.endpoint().receive(batch);
        } catch (StoreUnavailableException away) {
            releaseAll(batch, Duration.ofMillis(500));
        } catch (ConsumerStoppedException stopped) {
            close();
            context.stopped().accept(String.valueOf(stopped.getMessage()));
        } catch (RuntimeException | Error unexpected) {
            // Errors as well: the queue would stop silently.
            log.error(
                    "Consumer {}: unexpected error while handling {} records, starting with {}. Those that are not acknowledged are"
                            + " delivered again after 1s.",
                    context.endpoint().consumer(),
                    batch.size(),
                    batch.get(0).message(),
                    unexpected);
            releaseAll(batch, Duration.ofSeconds(1));
        }
    }

    private static void releaseAll(List<KafkaDelivery> batch, Duration notBefore) {
        for (KafkaDelivery delivery : batch) {
            if (!delivery.isAcknowledged()) {
                delivery.release(notBefore);
            }
        }
    }

    private void settle(List<KafkaDelivery> batch) {
        for (KafkaDelivery delivery : batch) {
            if (delivery.isAcknowledged()) {
                offsetTracker.acknowledged(delivery.offset());
                if (deliveries.remove(delivery.offset()) != null) {
                    bytes -= delivery.bytes();
                }
            }
        }
    }
}
