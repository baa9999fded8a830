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
 * Some of the keys of one partition: their records are handled one batch after the other, in order. A record that has to come
 * again holds the later ones of its key and nobody else. After each batch it queues up behind the lanes that wait for a worker.
 * Thread-safe.
 */
final class KeyQueueWorker {

    private static final Logger log = LoggerFactory.getLogger(KeyQueueWorker.class);

    /** What all lanes of a feed share. */
    record Crew(ConsumerEndpoint endpoint, ScheduledExecutorService workers, int batch, Consumer<String> stopped) {}

    private final Crew crew;
    private final OffsetTracker offsetTracker;
    private final TreeMap<Long, KafkaDelivery> deliveries = new TreeMap<>();
    private boolean queued;
    private boolean running;
    private boolean closed;
    private long wakeNanos = Long.MAX_VALUE;
    private long bytes;
    private @Nullable Future<?> alarm;

    KeyQueueWorker(Crew crew, OffsetTracker offsetTracker) {
        this.crew = crew;
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
        startIfDue();
    }

    synchronized int size() {
        return deliveries.size();
    }

    synchronized long bytes() {
        return bytes;
    }

    /** Begins nothing more. What is running ends as it would have. */
    synchronized void close() {
        closed = true;
        deliveries.clear();
        if (alarm != null) {
            alarm.cancel(false);
        }
        notifyAll();
    }

    /** Waits until nothing is running; false when that took too long. */
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

    /** One batch only: others wait for this worker. */
    private void run() {
        List<KafkaDelivery> batch = begin();
        if (!batch.isEmpty()) {
            handle(batch);
            end(batch);
        }
    }

    /** What is handled now; empty when nothing may be. */
    private synchronized List<KafkaDelivery> begin() {
        queued = false;
        List<KafkaDelivery> batch = closed ? List.of() : due();
        running = !batch.isEmpty();
        if (!running) {
            startIfDue();
        }
        return batch;
    }

    private synchronized void end(List<KafkaDelivery> batch) {
        settle(batch);
        running = false;
        notifyAll();
        startIfDue();
    }

    /** What may be handled now, in order. */
    private List<KafkaDelivery> due() {
        long now = System.nanoTime();
        List<KafkaDelivery> batch = new ArrayList<>();
        Set<String> held = new HashSet<>();
        for (KafkaDelivery delivery : deliveries.values()) {
            @Nullable String key = delivery.key();
            if (delivery.isDue(now) && (key == null || !held.contains(key))) {
                batch.add(delivery);
                if (batch.size() == crew.batch()) {
                    break;
                }
            } else if (key != null) {
                held.add(key);
            }
        }
        return batch;
    }

    /** Under the lock. When nothing is due yet, somebody comes back when it is. */
    private void startIfDue() {
        if (queued || running || closed || deliveries.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        long wait = untilOneIsDue(now);
        if (wait <= 0) {
            queued = true;
            crew.workers().execute(this::run);
        } else if (now + wait < wakeNanos) {
            wakeNanos = now + wait;
            alarm = crew.workers().schedule(this::wake, wait, TimeUnit.NANOSECONDS);
        }
    }

    /** Only the first record of a key counts: the others wait for it. */
    private long untilOneIsDue(long now) {
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
        startIfDue();
    }

    private void handle(List<KafkaDelivery> batch) {
        try {
            crew.endpoint().receive(batch);
        } catch (StoreUnavailableException away) {
            releaseAll(batch, Duration.ofMillis(500));
        } catch (ConsumerStoppedException stopped) {
            close();
            crew.stopped().accept(String.valueOf(stopped.getMessage()));
        } catch (RuntimeException | Error unexpected) {
            // An error too: a lane that ends with it would stand still without a word.
            log.error(
                    "Consumer {}: {} records could not be handled, from {} on. Nothing of them was acknowledged; they are"
                            + " brought again.",
                    crew.endpoint().consumer(),
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
                offsetTracker.done(delivery.offset());
                if (deliveries.remove(delivery.offset()) != null) {
                    bytes -= delivery.bytes();
                }
            }
        }
    }
}
