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

/** Records of a key one after the other, and nobody waits for another key. */
class KeyLaneTest {

    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    private final ScheduledExecutorService workers = Executors.newScheduledThreadPool(1);
    private final Track track = new Track(0, Optional.empty());
    private final List<List<Long>> batches = new CopyOnWriteArrayList<>();
    private final List<String> stopped = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        workers.shutdownNow();
    }

    private KeyLane lane(int batch, Consumer<List<Letter>> broker) {
        return new KeyLane(new KeyLane.Crew(inlet(broker), workers, batch, stopped::add), track);
    }

    private ConsumerEndpoint inlet(Consumer<List<Letter>> broker) {
        return new FakeInlet(letters -> {
            batches.add(letters.stream().map(Letter::offset).toList());
            broker.accept(letters);
        });
    }

    private List<Letter> letters(String... keys) {
        List<Letter> letters = new ArrayList<>();
        for (int n = 0; n < keys.length; n++) {
            Message message =
                    Message.withoutId(Headers.none(), Payload.json("{}")).at(new Position("orders", 0, n));
            @Nullable String key = keys[n].isEmpty() ? null : keys[n];
            letters.add(new Letter(key == null ? message : message.keyed(key), n, System.nanoTime()));
            track.begun(n, Optional.empty());
        }
        track.readTo(keys.length);
        return letters;
    }

    private static void acknowledge(List<Letter> letters) {
        letters.forEach(Letter::acknowledge);
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
        KeyLane lane = lane(2, KeyLaneTest::acknowledge);
        lane.add(letters("a", "b", "a", "", "b"));
        await(() -> track.next() == 5);
        assertThat(batches).containsExactly(List.of(0L, 1L), List.of(2L, 3L), List.of(4L));
        assertThat(lane.size()).isZero();
        assertThat(lane.bytes()).isZero();
    }

    @Test
    void oneThatHasToComeAgainHoldsItsKeyAndNobodyElse() throws Exception {
        List<Long> done = new CopyOnWriteArrayList<>();
        KeyLane lane = lane(1, letters -> {
            Letter letter = letters.get(0);
            if (letter.offset() == 0 && !done.contains(3L)) {
                letter.release(Duration.ofMillis(1));
            } else {
                letter.acknowledge();
                done.add(letter.offset());
            }
        });
        lane.add(letters("a", "a", "b", ""));
        await(() -> track.next() == 4);
        assertThat(done).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
        assertThat(done.indexOf(0L)).isGreaterThan(done.indexOf(3L));
        assertThat(done.indexOf(1L)).isGreaterThan(done.indexOf(0L));
    }

    @Test
    void whatIsNotAcknowledgedIsNotDone() throws Exception {
        KeyLane lane = lane(
                10,
                letters -> letters.forEach(letter -> {
                    if (letter.offset() == 1) {
                        letter.release(Duration.ofHours(1));
                    } else {
                        letter.acknowledge();
                    }
                }));
        lane.add(letters("a", "b", "c"));
        await(() -> lane.size() == 1);
        assertThat(track.next()).isEqualTo(1);
    }

    @Test
    void aDatabaseThatIsAwayIsTriedAgain() throws Exception {
        List<Integer> tries = new CopyOnWriteArrayList<>();
        KeyLane lane = lane(10, letters -> {
            tries.add(letters.size());
            if (tries.size() == 1) {
                throw new StoreUnavailableException("down", new IllegalStateException("gone"));
            }
            if (tries.size() == 2) {
                throw new IllegalStateException("odd");
            }
            acknowledge(letters);
        });
        lane.add(letters("a", "a", "b"));
        await(() -> track.next() == 3);
        assertThat(tries).isEqualTo(Arrays.asList(3, 3, 3));
    }

    @Test
    void aConsumerThatStandsStillGetsNothingMore() throws Exception {
        KeyLane lane = lane(1, letters -> {
            throw new ConsumerStoppedException("torn");
        });
        lane.add(letters("a", "b"));
        await(() -> !stopped.isEmpty());
        assertThat(lane.awaitIdle(System.nanoTime() + PATIENCE)).isTrue();
        assertThat(stopped).containsExactly("torn");
        assertThat(batches).hasSize(1);
        assertThat(track.next()).isZero();
    }

    @Test
    void oneLaneDoesNotKeepAWorkerThatOthersWaitFor() throws Exception {
        CountDownLatch filled = new CountDownLatch(1);
        KeyLane.Crew crew = crewThatWaitsFor(filled);
        KeyLane busy = new KeyLane(crew, track);
        KeyLane other = new KeyLane(crew, track);
        List<Letter> all = letters("a", "a", "a", "b");
        busy.add(all.subList(0, 3));
        other.add(all.subList(3, 4));
        filled.countDown();
        await(() -> track.next() == 4);
        assertThat(batches).containsExactly(List.of(0L), List.of(3L), List.of(1L), List.of(2L));
    }

    @Test
    void whatHasNotBegunNeedNotEnd() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        KeyLane.Crew crew = crewThatWaitsFor(goOn);
        KeyLane busy = new KeyLane(crew, track);
        KeyLane waiting = new KeyLane(crew, track);
        List<Letter> all = letters("a", "b");
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

    private KeyLane.Crew crewThatWaitsFor(CountDownLatch latch) {
        return new KeyLane.Crew(
                inlet(letters -> {
                    try {
                        latch.await();
                    } catch (InterruptedException stop) {
                        Thread.currentThread().interrupt();
                    }
                    acknowledge(letters);
                }),
                workers,
                1,
                stopped::add);
    }

    @Test
    void aClosedLaneBeginsNothing() throws Exception {
        KeyLane lane = lane(1, KeyLaneTest::acknowledge);
        lane.close();
        lane.add(letters("a"));
        assertThat(lane.awaitIdle(System.nanoTime() + PATIENCE)).isTrue();
        assertThat(batches).isEmpty();
        assertThat(track.next()).isZero();
    }
}
