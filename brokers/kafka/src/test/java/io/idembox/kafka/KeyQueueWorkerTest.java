// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.ConsumerStoppedException;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.StoreUnavailableException;
import io.idembox.spi.ConsumerEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records of a key are handled one after the other, and no key waits for another. */
class KeyQueueWorkerTest {

    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    private final ScheduledExecutorService workers = Executors.newScheduledThreadPool(1);
    private final OffsetTracker offsetTracker = new OffsetTracker(0, Optional.empty());
    private final List<List<Long>> batches = new CopyOnWriteArrayList<>();
    private final List<String> stopped = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        workers.shutdownNow();
    }

    private KeyQueueWorker queue(int batch, Consumer<List<KafkaDelivery>> broker) {
        return new KeyQueueWorker(
                new KeyQueueWorker.WorkerContext(inlet(broker), workers, batch, stopped::add), offsetTracker);
    }

    private ConsumerEndpoint inlet(Consumer<List<KafkaDelivery>> broker) {
        return new FakeEndpoint(deliveries -> {
            batches.add(deliveries.stream().map(KafkaDelivery::offset).toList());
            broker.accept(deliveries);
        });
    }

    private List<KafkaDelivery> letters(String... keys) {
        List<KafkaDelivery> deliveries = new ArrayList<>();
        for (int n = 0; n < keys.length; n++) {
            Message message =
                    Message.withoutId(Headers.none(), Payload.json("{}")).at(new Position("orders", 0, n));
            @Nullable String key = keys[n].isEmpty() ? null : keys[n];
            deliveries.add(new KafkaDelivery(key == null ? message : message.keyed(key), n, System.nanoTime()));
            offsetTracker.received(n, Optional.empty());
        }
        offsetTracker.readTo(keys.length);
        return deliveries;
    }

    private static void acknowledge(List<KafkaDelivery> deliveries) {
        deliveries.forEach(KafkaDelivery::acknowledge);
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + PATIENCE;
        while (!condition.call()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void batchesAreInOrderAndNoLargerThanAllowed() throws Exception {
        KeyQueueWorker partition = queue(2, KeyQueueWorkerTest::acknowledge);
        partition.add(letters("a", "b", "a", "", "b"));
        await(() -> offsetTracker.next() == 5);
        assertThat(batches).containsExactly(List.of(0L, 1L), List.of(2L, 3L), List.of(4L));
        assertThat(partition.size()).isZero();
        assertThat(partition.bytes()).isZero();
    }

    @Test
    void releasedRecordHoldsOnlyItsKey() throws Exception {
        List<Long> done = new CopyOnWriteArrayList<>();
        KeyQueueWorker partition = queue(1, deliveries -> {
            KafkaDelivery delivery = deliveries.get(0);
            if (delivery.offset() == 0 && !done.contains(3L)) {
                delivery.release(Duration.ofMillis(1));
            } else {
                delivery.acknowledge();
                done.add(delivery.offset());
            }
        });
        partition.add(letters("a", "a", "b", ""));
        await(() -> offsetTracker.next() == 4);
        assertThat(done).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
        assertThat(done.indexOf(0L)).isGreaterThan(done.indexOf(3L));
        assertThat(done.indexOf(1L)).isGreaterThan(done.indexOf(0L));
    }

    @Test
    void unacknowledgedRecordIsNotDone() throws Exception {
        KeyQueueWorker partition = queue(
                10,
                deliveries -> deliveries.forEach(delivery -> {
                    if (delivery.offset() == 1) {
                        delivery.release(Duration.ofHours(1));
                    } else {
                        delivery.acknowledge();
                    }
                }));
        partition.add(letters("a", "b", "c"));
        await(() -> partition.size() == 1);
        assertThat(offsetTracker.next()).isEqualTo(1);
    }

    @Test
    void retriesWhenTheDatabaseIsUnavailable() throws Exception {
        List<Integer> tries = new CopyOnWriteArrayList<>();
        KeyQueueWorker partition = queue(10, deliveries -> {
            tries.add(deliveries.size());
            if (tries.size() == 1) {
                throw new StoreUnavailableException("down", new IllegalStateException("gone"));
            }
            if (tries.size() == 2) {
                throw new IllegalStateException("odd");
            }
            acknowledge(deliveries);
        });
        partition.add(letters("a", "a", "b"));
        await(() -> offsetTracker.next() == 3);
        assertThat(tries).isEqualTo(Arrays.asList(3, 3, 3));
    }

    @Test
    void stoppedConsumerReceivesNothingMore() throws Exception {
        KeyQueueWorker partition = queue(1, deliveries -> {
            throw new ConsumerStoppedException("torn");
        });
        partition.add(letters("a", "b"));
        await(() -> !stopped.isEmpty());
        assertThat(partition.awaitIdle(System.nanoTime() + PATIENCE)).isTrue();
        assertThat(stopped).containsExactly("torn");
        assertThat(batches).hasSize(1);
        assertThat(offsetTracker.next()).isZero();
    }

    @Test
    void queueYieldsItsWorkerAfterEachBatch() throws Exception {
        CountDownLatch filled = new CountDownLatch(1);
        KeyQueueWorker.WorkerContext context = crewThatWaitsFor(filled);
        KeyQueueWorker busy = new KeyQueueWorker(context, offsetTracker);
        KeyQueueWorker other = new KeyQueueWorker(context, offsetTracker);
        List<KafkaDelivery> all = letters("a", "a", "a", "b");
        busy.add(all.subList(0, 3));
        other.add(all.subList(3, 4));
        filled.countDown();
        await(() -> offsetTracker.next() == 4);
        assertThat(batches).containsExactly(List.of(0L), List.of(3L), List.of(1L), List.of(2L));
    }

    @Test
    void queuedBatchDoesNotDelayDraining() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        KeyQueueWorker.WorkerContext context = crewThatWaitsFor(goOn);
        KeyQueueWorker busy = new KeyQueueWorker(context, offsetTracker);
        KeyQueueWorker waiting = new KeyQueueWorker(context, offsetTracker);
        List<KafkaDelivery> all = letters("a", "b");
        busy.add(all.subList(0, 1));
        waiting.add(all.subList(1, 2));
        await(() -> batches.size() == 1);
        waiting.close();
        assertThat(waiting.awaitIdle(System.nanoTime())).isTrue();
        assertThat(busy.awaitIdle(System.nanoTime())).isFalse();
        goOn.countDown();
        assertThat(busy.awaitIdle(System.nanoTime() + PATIENCE)).isTrue();
        assertThat(batches).containsExactly(List.of(0L));
    }

    private KeyQueueWorker.WorkerContext crewThatWaitsFor(CountDownLatch latch) {
        return new KeyQueueWorker.WorkerContext(
                inlet(deliveries -> {
                    try {
                        latch.await();
                    } catch (InterruptedException stop) {
                        Thread.currentThread().interrupt();
                    }
                    acknowledge(deliveries);
                }),
                workers,
                1,
                stopped::add);
    }

    @Test
    void closedQueueStartsNothing() throws Exception {
        KeyQueueWorker partition = queue(1, KeyQueueWorkerTest::acknowledge);
        partition.close();
        partition.add(letters("a"));
        assertThat(partition.awaitIdle(System.nanoTime() + PATIENCE)).isTrue();
        assertThat(batches).isEmpty();
        assertThat(offsetTracker.next()).isZero();
    }
}
