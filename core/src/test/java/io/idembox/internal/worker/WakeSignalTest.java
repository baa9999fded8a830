// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WakeSignalTest {

    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final Duration A_MOMENT = Duration.ofMillis(1);

    private final WakeSignal wakeSignal = new WakeSignal();

    @Test
    void ringIsNotMissedByWhoDoesNotListenYet() throws InterruptedException {
        wakeSignal.ring();
        wakeSignal.ring();

        assertThat(wakeSignal.await(FOR_EVER)).isTrue();
        assertThat(wakeSignal.await(A_MOMENT)).isFalse();
    }

    @Test
    void whatIsExpectedShortensTheSleepAndDoesNotEndIt() throws InterruptedException {
        wakeSignal.expect();
        long begin = System.nanoTime();

        assertThat(wakeSignal.await(FOR_EVER)).isTrue();
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(WakeSignal.SOON.toNanos());
        assertThat(wakeSignal.await(A_MOMENT)).isFalse();
    }

    @Test
    void whatIsExpectedMakesNoSleepLonger() throws InterruptedException {
        wakeSignal.expect();
        long begin = System.nanoTime();

        assertThat(wakeSignal.await(Duration.ZERO)).isTrue();
        assertThat(System.nanoTime() - begin).isLessThan(Duration.ofSeconds(20).toNanos());
    }

    @Test
    void whoSleepsAlreadyHearsBoth() throws Exception {
        for (Runnable told : new Runnable[] {wakeSignal::expect, wakeSignal::ring}) {
            CompletableFuture<Boolean> heard = new CompletableFuture<>();
            Thread sleeper = new Thread(() -> {
                try {
                    heard.complete(wakeSignal.await(FOR_EVER));
                } catch (InterruptedException stopped) {
                    heard.completeExceptionally(stopped);
                }
            });
            sleeper.start();
            while (sleeper.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }

            told.run();

            assertThat(heard.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
