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
final class KeyLane {

    private static final Logger log = LoggerFactory.getLogger(KeyLane.class);

    /** What all lanes of a feed share. */
    record Crew(ConsumerEndpoint endpoint, ScheduledExecutorService workers, int batch, Consumer<String> stopped) {}

    private final Crew crew;
    private final Track track;
    private final TreeMap<Long, Letter> letters = new TreeMap<>();
    private boolean queued;
    private boolean running;
    private boolean closed;
    private long wakeNanos = Long.MAX_VALUE;
    private long bytes;
    private @Nullable Future<?> alarm;

    KeyLane(Crew crew, Track track) {
        this.crew = crew;
        this.track = track;
    }

    synchronized void add(List<Letter> more) {
        if (closed) {
            return;
        }
        for (Letter letter : more) {
            letters.put(letter.offset(), letter);
            bytes += letter.bytes();
        }
        startIfDue();
    }

    synchronized int size() {
        return letters.size();
    }

    synchronized long bytes() {
        return bytes;
    }

    /** Begins nothing more. What is running ends as it would have. */
    synchronized void close() {
        closed = true;
        letters.clear();
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
        List<Letter> batch = begin();
        if (!batch.isEmpty()) {
            handle(batch);
            end(batch);
        }
    }

    /** What is handled now; empty when nothing may be. */
    private synchronized List<Letter> begin() {
        queued = false;
        List<Letter> batch = closed ? List.of() : due();
        running = !batch.isEmpty();
        if (!running) {
            startIfDue();
        }
        return batch;
    }

    private synchronized void end(List<Letter> batch) {
        settle(batch);
        running = false;
        notifyAll();
        startIfDue();
    }

    /** What may be handled now, in order. */
    private List<Letter> due() {
        long now = System.nanoTime();
        List<Letter> batch = new ArrayList<>();
        Set<String> held = new HashSet<>();
        for (Letter letter : letters.values()) {
            @Nullable String key = letter.key();
            if (letter.isDue(now) && (key == null || !held.contains(key))) {
                batch.add(letter);
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
        if (queued || running || closed || letters.isEmpty()) {
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
        for (Letter letter : letters.values()) {
            @Nullable String key = letter.key();
            if (key == null || seen.add(key)) {
                wait = Math.min(wait, letter.dueNanos() - now);
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

    private void handle(List<Letter> batch) {
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

    private static void releaseAll(List<Letter> batch, Duration notBefore) {
        for (Letter letter : batch) {
            if (!letter.isAcknowledged()) {
                letter.release(notBefore);
            }
        }
    }

    private void settle(List<Letter> batch) {
        for (Letter letter : batch) {
            if (letter.isAcknowledged()) {
                track.done(letter.offset());
                if (letters.remove(letter.offset()) != null) {
                    bytes -= letter.bytes();
                }
            }
        }
    }
}
