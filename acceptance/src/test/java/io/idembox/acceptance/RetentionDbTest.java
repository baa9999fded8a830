// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.Work;
import io.idembox.internal.engine.Job;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Finished messages are forgotten when their time is over, and nothing else is. */
class RetentionDbTest extends DatabaseTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Bench bench(Work work) {
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .recording(Recording.FULL)
                .retry(RetryPolicy.exponential(2, Duration.ofDays(3), Duration.ofDays(3)));
        return new Bench(database, "node", clock, seen, policy, work);
    }

    private static List<Receipt> handle(Bench bench, Work work, Message... messages) {
        return bench.receiver.receive(List.of(messages), message -> new Job.Single(work));
    }

    private int purge(Bench bench) {
        return bench.retention.purge(bench.receiver.consumer(), DAY, 1_000);
    }

    private long rows() {
        long rows = 0;
        for (String table : List.of("ledger", "body", "entry", "attempt", "outcome", "step")) {
            rows += database.count("idembox_" + table);
        }
        return rows;
    }

    @Test
    void whatIsFinishedLongEnoughIsForgottenWithEverythingAboutIt() {
        Bench one = bench(DatabaseTest::effect);
        handle(one, context -> context.result("{}"), message("1"));
        one.store(message("2"));
        one.work();

        clock.advance(DAY);
        assertThat(purge(one)).isZero();
        clock.advance(Duration.ofSeconds(1));
        assertThat(purge(one)).isEqualTo(2);
        assertThat(rows()).isZero();
    }

    @Test
    void beforeRetentionExpiredADuplicateIsADuplicate() {
        Bench one = bench(DatabaseTest::effect);
        handle(one, DatabaseTest::effect, message("1"));

        clock.advance(DAY.minusSeconds(1));
        purge(one);

        assertThat(handle(one, DatabaseTest::effect, message("1")).get(0).kind())
                .isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void afterRetentionExpiredAnOlderDuplicateRunsAgain() {
        Bench one = bench(DatabaseTest::effect);
        handle(one, DatabaseTest::effect, message("1"));

        clock.advance(DAY.plusSeconds(1));
        assertThat(handle(one, DatabaseTest::effect, message("1")).get(0).kind())
                .as("expired, but still known")
                .isEqualTo(Receipt.Kind.DUPLICATE);
        purge(one);

        assertThat(handle(one, DatabaseTest::effect, message("1")).get(0).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(handle(one, DatabaseTest::effect, message("1")).get(0).kind())
                .as("and is known again")
                .isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("1", "1");
    }

    @Test
    void theHorizonIsCountedFromWhenItWasSettled() {
        Bench one = bench(DatabaseTest::effect);
        one.store(message("1"));
        clock.advance(Duration.ofDays(30));
        one.work();

        assertThat(purge(one)).isZero();
        clock.advance(DAY.plusSeconds(1));
        assertThat(purge(one)).isEqualTo(1);
    }

    @Test
    void whatIsNotFinishedIsNeverForgotten() {
        Bench one = bench(context -> {
            throw new IllegalStateException("no");
        });
        one.store(message("received"));
        handle(
                one,
                context -> {
                    throw new IllegalStateException("no");
                },
                message("failed"));
        handle(one, DatabaseTest::effect, message("conflicting"));
        handle(one, DatabaseTest::effect, message("conflicting").payload(Payload.json("[]")));
        long before = rows();

        clock.advance(Duration.ofDays(1_000));

        assertThat(purge(one)).isZero();
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void aDiscardedOneGoesWhenItWasDiscardedLongEnoughAgo() {
        Bench one = bench(context -> {
            throw new IllegalStateException("no");
        });
        one.store(message("1"));
        one.work();
        database.run("update idembox_entry set state = 'DISCARDED', due_at = null");

        assertThat(purge(one)).isZero();
        clock.advance(DAY.plusSeconds(1));
        assertThat(purge(one)).isEqualTo(1);
        assertThat(rows()).isZero();
    }
}
