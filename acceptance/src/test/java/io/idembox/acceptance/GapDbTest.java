// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is missing is given up only while it is missing. */
class GapDbTest extends DatabaseTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final SequencePolicy GUARDED = SequencePolicy.by(SequenceNumber.header("version"));
    private static final ConsumerPolicy ORDERED = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(5, Duration.ofHours(1), Duration.ofHours(1))
                    .by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();

    private Bench bench(ConsumerPolicy policy) {
        return new Bench(database, "node", clock, new Seen(), policy, context -> {
            effect(context);
            if (context.attempt() == 1 && context.id().id().equals("a2")) {
                throw new IllegalStateException("not yet");
            }
        });
    }

    private static Message version(String key, long version) {
        return message(key + version).keyed(key).header("version", Long.toString(version));
    }

    private static void drain(Bench bench) {
        for (int rounds = 0; rounds < 100 && !bench.work().isEmpty(); rounds++) {
            // as long as there is something
        }
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by message_id");
    }

    private void comesInTimeAndIsUnfinishedForLong(ConsumerPolicy policy, boolean direct) {
        Bench bench = bench(policy);
        bench.store(version("a", 1));
        drain(bench);
        bench.store(version("a", 3));
        clock.advance(PATIENCE.minusSeconds(1));
        if (direct) {
            assertThat(bench.handle(version("a", 2))).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        } else {
            bench.store(version("a", 2));
        }
        clock.advance(Duration.ofSeconds(2));

        assertThat(bench.gaps().look()).isZero();

        drain(bench);
        clock.advance(Duration.ofHours(2));
        assertThat(bench.gaps().look()).isZero();
        drain(bench);
        assertThat(states()).containsExactly("a1 COMPLETED", "a2 COMPLETED", "a3 COMPLETED");
        assertThat(effects()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void whatCameInTimeIsNotGivenUpHoweverLongItTakes() {
        comesInTimeAndIsUnfinishedForLong(ORDERED.sequence(GUARDED.skipGapsAfter(PATIENCE)), false);
    }

    @Test
    void nothingIsParkedBehindWhatCameInTime() {
        comesInTimeAndIsUnfinishedForLong(ORDERED.sequence(GUARDED.parkGapsAfter(PATIENCE)), false);
    }

    @Test
    void theSameWhereItFailedInDirectMode() {
        comesInTimeAndIsUnfinishedForLong(ORDERED.sequence(GUARDED.skipGapsAfter(PATIENCE)), true);
    }

    @Test
    void whereParkedOnesArePassedTheSequenceGoesOnBehindThem() {
        Bench bench = bench(ORDERED.ordering(Ordering.SKIP_PARKED).sequence(GUARDED.parkGapsAfter(PATIENCE)));
        bench.store(version("b", 1));
        drain(bench);
        bench.store(version("b", 3), version("b", 4));
        clock.advance(PATIENCE.plusSeconds(1));

        assertThat(bench.gaps().look()).isOne();
        drain(bench);
        assertThat(bench.gaps().look()).isZero();
        bench.store(version("b", 5));
        drain(bench);

        assertThat(states()).containsExactly("b1 COMPLETED", "b3 PARKED", "b4 COMPLETED", "b5 COMPLETED");
        assertThat(database.one("select error from idembox_entry")).contains("gone on without both");
        assertThat(bench.handle(version("b", 2))).extracting(Receipt::kind).containsExactly(Receipt.Kind.SKIPPED);
    }

    @Test
    void allGapsAreLookedAfterHoweverManyThereAre() {
        Bench bench = bench(ORDERED.sequence(GUARDED.skipGapsAfter(PATIENCE)));
        int keys = 130;
        bench.store(IntStream.range(0, keys)
                .mapToObj(i -> version("k" + i + "-", 1))
                .toArray(Message[]::new));
        drain(bench);
        drain(bench);
        bench.store(IntStream.range(0, keys)
                .mapToObj(i -> version("k" + i + "-", 3))
                .toArray(Message[]::new));
        clock.advance(PATIENCE.plusSeconds(1));

        assertThat(bench.gaps().look()).isEqualTo(keys);
    }

    @Test
    void whatHasNoPlaceFromBeforeTheGuardIsInFrontOfWhatHasOne() {
        Bench before = bench(ORDERED);
        before.store(message("old").keyed("a"));
        Bench after = bench(ORDERED.sequence(GUARDED));

        assertThat(after.handle(version("a", 7))).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        assertThat(states()).containsExactly("a7 WAITING", "old RECEIVED");
        drain(after);
        assertThat(effects()).containsExactly("a7", "old");
    }

    @Test
    void theLowestNumberThereIsIsNoPlace() {
        Bench bench = bench(ORDERED.sequence(GUARDED));

        assertThat(bench.handle(version("c", Long.MIN_VALUE)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED);
        assertThat(bench.handle(version("c", 1))).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
    }
}
