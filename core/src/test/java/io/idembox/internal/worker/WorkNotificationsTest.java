// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.WorkNotifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkNotificationsTest {

    private static final int PATIENCE = 30;

    /** Tells when it is allowed to, and hears what a test says. */
    private static final class FakeNotices implements WorkNotifier {

        final BlockingQueue<Set<Integer>> told = new LinkedBlockingQueue<>();
        final Semaphore mayTell = new Semaphore(0);
        final BlockingQueue<Set<Integer>> heard = new LinkedBlockingQueue<>();
        final Semaphore listening = new Semaphore(0);
        final Semaphore waiting = new Semaphore(0);
        final AtomicBoolean broken = new AtomicBoolean();
        final AtomicInteger failures = new AtomicInteger();
        final AtomicBoolean closed = new AtomicBoolean();

        @Override
        public void tell(Collection<Integer> consumers) {
            told.add(Set.copyOf(consumers));
            mayTell.acquireUninterruptibly();
            failIfBroken();
        }

        @Override
        public Line listen() {
            failIfBroken();
            listening.release();
            return new Line() {
                @Override
                public Set<Integer> await(Duration atMost) {
                    waiting.release();
                    failIfBroken();
                    try {
                        Set<Integer> next = heard.poll(10, TimeUnit.MILLISECONDS);
                        return next == null ? Set.of() : next;
                    } catch (InterruptedException stopped) {
                        throw new IllegalStateException(stopped);
                    }
                }

                @Override
                public void close() {}
            };
        }

        private void failIfBroken() {
            if (broken.get()) {
                failures.incrementAndGet();
                throw new StoreUnavailableException("broken", new IllegalStateException());
            }
        }

        @Override
        public void close() {
            closed.set(true);
        }
    }

    private final FakeNotices notices = new FakeNotices();

    private Set<Integer> nextTold() throws InterruptedException {
        return notices.told.poll(PATIENCE, TimeUnit.SECONDS);
    }

    @Test
    void aThousandRingsAreToldOnce() throws InterruptedException {
        try (WorkNotifications workNotifications = new WorkNotifications(notices)) {
            workNotifications.ring(7);
            assertThat(nextTold()).containsExactly(7);
            for (int i = 0; i < 1_000; i++) {
                workNotifications.ring(7);
                workNotifications.ring(8);
            }
            notices.mayTell.release(100);
            assertThat(nextTold()).containsExactlyInAnyOrder(7, 8);
        }
        assertThat(notices.told).as("told more often").isEmpty();
        assertThat(notices.closed).isTrue();
    }

    @Test
    void whatIsUntoldWhenItClosesIsToldFirst() throws InterruptedException {
        WorkNotifications workNotifications = new WorkNotifications(notices);
        workNotifications.ring(1);
        assertThat(nextTold()).containsExactly(1);
        workNotifications.ring(2);
        notices.mayTell.release(100);

        workNotifications.close();

        assertThat(notices.told.poll()).containsExactly(2);
    }

    @Test
    void whoCannotTellGoesOn() throws InterruptedException {
        notices.broken.set(true);
        notices.mayTell.release(100);
        try (WorkNotifications workNotifications = new WorkNotifications(notices)) {
            workNotifications.ring(1);
            assertThat(nextTold()).containsExactly(1);
            notices.broken.set(false);
            workNotifications.ring(1);
            assertThat(nextTold()).containsExactly(1);
        }
    }

    @Test
    void whoIsRungForIsWokenAndNobodyElse() throws InterruptedException {
        BlockingQueue<String> woken = new LinkedBlockingQueue<>();
        try (WorkNotifications workNotifications = new WorkNotifications(notices)) {
            workNotifications.wake(1, () -> woken.add("one"));
            assertThat(notices.waiting.tryAcquire(PATIENCE, TimeUnit.SECONDS)).isTrue();
            assertThat(woken.poll()).as("at the beginning").isEqualTo("one");
            workNotifications.wake(2, () -> woken.add("two"));
            notices.heard.add(Set.of(2, 99));
            assertThat(woken.poll(PATIENCE, TimeUnit.SECONDS)).isEqualTo("two");
            notices.heard.add(Set.of(1));
            assertThat(woken.poll(PATIENCE, TimeUnit.SECONDS)).isEqualTo("one");
        }
        assertThat(woken).isEmpty();
    }

    @Test
    void afterALostSessionEverybodyIsWoken() throws InterruptedException {
        BlockingQueue<String> woken = new LinkedBlockingQueue<>();
        try (WorkNotifications workNotifications = new WorkNotifications(notices)) {
            workNotifications.wake(1, () -> woken.add("one"));
            assertThat(notices.listening.tryAcquire(PATIENCE, TimeUnit.SECONDS)).isTrue();
            workNotifications.wake(2, () -> woken.add("two"));
            notices.broken.set(true);
            while (notices.failures.get() < 3) {
                Thread.onSpinWait();
            }
            woken.clear();
            notices.broken.set(false);
            assertThat(notices.listening.tryAcquire(PATIENCE, TimeUnit.SECONDS)).isTrue();

            List<String> all = new ArrayList<>();
            all.add(woken.poll(PATIENCE, TimeUnit.SECONDS));
            all.add(woken.poll(PATIENCE, TimeUnit.SECONDS));
            assertThat(all).containsExactlyInAnyOrder("one", "two");
        }
    }
}
