// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.WorkPolicy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Leases are renewed whatever else a node waits for. */
class RenewalsTest {

    private static final int RENEWALS = 50;

    private static <T> T answering(Class<T> type, InvocationHandler answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
    }

    private static RegisteredConsumer consumer(int number) {
        ConsumerPolicy policy =
                ConsumerPolicy.inbox().work(WorkPolicy.defaults().lease(Duration.ofMillis(100)));
        return new RegisteredConsumer("c" + number, "c" + number, number, policy);
    }

    @Test
    void reapersThatWaitDoNotStopRenewals() throws Exception {
        Semaphore renewals = new Semaphore(0);
        UUID token = UUID.randomUUID();
        LeaseStore leases = answering(LeaseStore.class, (proxy, method, arguments) -> {
            renewals.release();
            return new LeaseStore.Renewal(Set.of(token), Set.of());
        });
        CountDownLatch reaping = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        try (Maintenance maintenance = new Maintenance(
                leases,
                answering(RetentionStore.class, (proxy, method, arguments) -> null),
                answering(PauseStore.class, (proxy, method, arguments) -> null),
                consumer -> {
                    reaping.countDown();
                    awaitQuietly(free);
                    return List.of();
                })) {
            for (int number = 1; number <= 3; number++) {
                RegisteredConsumer consumer = consumer(number);
                LeaseKeeper keeper = new LeaseKeeper(consumer.name(), leases, Duration.ofHours(1), Duration.ofHours(1));
                keeper.hold(token, System.nanoTime());
                maintenance.lookAfter(consumer, keeper, new WakeSignal());
            }

            assertThat(reaping.await(60, TimeUnit.SECONDS)).isTrue();
            renewals.drainPermits();

            assertThat(renewals.tryAcquire(RENEWALS, 20, TimeUnit.SECONDS)).isTrue();
        } finally {
            free.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }
}
