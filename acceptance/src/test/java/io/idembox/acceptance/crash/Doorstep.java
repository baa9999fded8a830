// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.admin.Replays;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Somebody is inside a handler, and a replay wants to begin meanwhile. For one handler and one replay. */
final class Doorstep {

    private static final long PATIENCE = Duration.ofSeconds(4).toNanos();
    private static final long GLANCE = Duration.ofMillis(5).toNanos();

    private final World world;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CountDownLatch prepared = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);
    private @Nullable Future<?> beginning;

    Doorstep(World world) {
        this.world = world;
    }

    /** Called inside: goes on when whoever begins has to wait, or does not wait and has prepared the replay. */
    void whileInside(Runnable begin) {
        beginning = thread.submit(begin);
        until(() -> prepared.getCount() == 0 || somebodyWaits());
    }

    private boolean somebodyWaits() {
        return !world.list(
                        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                .isEmpty();
    }

    /** Whoever prepares takes so long that whoever is inside gets done, if nobody keeps him from it. */
    Replays.Preparation slowly(Replays.Preparation preparation) {
        return connection -> {
            preparation.run(connection);
            prepared.countDown();
            until(() -> left.getCount() == 0 || somebodyWaits());
        };
    }

    private static void until(BooleanSupplier reached) {
        long end = System.nanoTime() + PATIENCE;
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("Nobody came to the door, or nobody left");
            }
            LockSupport.parkNanos(GLANCE);
        }
    }

    /** The handler is through; waits until the replay has begun. */
    void leave() {
        left.countDown();
        try {
            if (beginning != null) {
                beginning.get(10, TimeUnit.SECONDS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(failed);
        } finally {
            thread.shutdownNow();
        }
    }
}
