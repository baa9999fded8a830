// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WakeUpTest {

    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final Duration A_MOMENT = Duration.ofMillis(1);

    private final WakeUp wakeUp = new WakeUp();

    @Test
    void ringIsNotMissedByWhoDoesNotListenYet() throws InterruptedException {
        wakeUp.ring();
        wakeUp.ring();

        assertThat(wakeUp.await(FOR_EVER)).isTrue();
        assertThat(wakeUp.await(A_MOMENT)).isFalse();
    }

    @Test
    void whatIsExpectedShortensTheSleepAndDoesNotEndIt() throws InterruptedException {
        wakeUp.expect();
        long begin = System.nanoTime();

        assertThat(wakeUp.await(FOR_EVER)).isTrue();
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(WakeUp.SOON.toNanos());
        assertThat(wakeUp.await(A_MOMENT)).isFalse();
    }

    @Test
    void whatIsExpectedMakesNoSleepLonger() throws InterruptedException {
        wakeUp.expect();
        long begin = System.nanoTime();

        assertThat(wakeUp.await(Duration.ZERO)).isTrue();
        assertThat(System.nanoTime() - begin).isLessThan(Duration.ofSeconds(20).toNanos());
    }

    @Test
    void whoSleepsAlreadyHearsBoth() throws Exception {
        for (Runnable told : new Runnable[] {wakeUp::expect, wakeUp::ring}) {
            CompletableFuture<Boolean> heard = new CompletableFuture<>();
            Thread sleeper = new Thread(() -> {
                try {
                    heard.complete(wakeUp.await(FOR_EVER));
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
