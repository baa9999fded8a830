// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.InboxException;
import io.idembox.internal.engine.WorkNotifier;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes the crews of other nodes, and is woken by them. One thread tells, at most once per consumer and moment however much
 * is stored; one listens, and connects again when its session is lost. Whatever fails here, crews find their work by
 * looking. Thread-safe.
 */
public final class WorkNotifications implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkNotifications.class);

    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);
    private static final Duration LOOK_UP = Duration.ofMillis(500);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration STOP_GRACE = Duration.ofSeconds(2);

    private final WorkNotifier notifier;
    private final Set<Integer> untold = ConcurrentHashMap.newKeySet();
    private final WakeSignal somethingToTell = new WakeSignal();
    private final Map<Integer, Runnable> workerPools = new ConcurrentHashMap<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable Thread teller;
    private @Nullable Thread listener;

    public WorkNotifications(WorkNotifier notifier) {
        this.notifier = notifier;
    }

    /** Something was stored for the consumer, and is committed. Returns at once. */
    public void ring(int consumer) {
        untold.add(consumer);
        startTelling();
        somethingToTell.ring();
    }

    /** From now on the crew of the consumer is woken when another node rings for it. */
    public void wake(int consumer, Runnable workers) {
        workerPools.put(consumer, workers);
        startListening();
    }

    private synchronized void startTelling() {
        if (teller == null && !isClosing()) {
            teller = started("idembox-bell-teller", this::tellWhileOpen);
        }
    }

    private synchronized void startListening() {
        if (listener == null && !isClosing()) {
            listener = started("idembox-bell-listener", this::listenWhileOpen);
        }
    }

    private static Thread started(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    private void tellWhileOpen() {
        boolean works = true;
        try {
            while (!isClosing() || !untold.isEmpty()) {
                Set<Integer> now = Set.copyOf(untold);
                if (now.isEmpty()) {
                    somethingToTell.await(LONGEST_PAUSE);
                    continue;
                }
                // Race: who rings from here on for one of these has committed before, so what is told now is for it
                // too.
                untold.removeAll(now);
                works = tell(now, works);
                if (closing.await((works ? MOMENT : AFTER_A_FAILURE).toNanos(), TimeUnit.NANOSECONDS) && !works) {
                    return;
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean tell(Set<Integer> consumers, boolean worked) {
        try {
            notifier.tell(consumers);
            return true;
        } catch (InboxException unavailable) {
            if (worked) {
                log.warn(
                        "Other nodes could not be told that there is work; they find it when they look (work.poll). {}",
                        unavailable.getMessage());
            }
            return false;
        }
    }

    private void listenWhileOpen() {
        Duration pause = FIRST_PAUSE;
        try {
            while (!isClosing()) {
                try (WorkNotifier.Line line = notifier.listen()) {
                    // Whatever was told while nobody listened is not told again.
                    workerPools.values().forEach(Runnable::run);
                    pause = FIRST_PAUSE;
                    while (!isClosing()) {
                        line.await(LOOK_UP).forEach(this::wake);
                    }
                } catch (InboxException lost) {
                    log.warn(
                            "The session that listens for other nodes was lost; crews look by themselves (work.poll), and it"
                                    + " is tried again in {}. {}",
                            pause,
                            lost.getMessage());
                    closing.await(pause.toNanos(), TimeUnit.NANOSECONDS);
                    pause = longer(pause);
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake(int consumer) {
        Runnable workers = workerPools.get(consumer);
        if (workers != null) {
            workers.run();
        }
    }

    private static Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    /** Tells what is left to be told, and hears nothing more. */
    @Override
    public void close() {
        closing.countDown();
        somethingToTell.ring();
        try {
            for (Thread thread : threads()) {
                thread.join(STOP_GRACE.toMillis());
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            notifier.close();
        }
    }

    private synchronized Thread[] threads() {
        return java.util.stream.Stream.of(teller, listener)
                .filter(thread -> thread != null)
                .toArray(Thread[]::new);
    }
}
