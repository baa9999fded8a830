// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Finished messages are forgotten when their time is over, and nothing else is. */
class RetentionDbTest extends DatabaseTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Bench bench(InboxHandler handler) {
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .recording(Recording.FULL)
                .retry(RetryPolicy.exponential(2, Duration.ofDays(3), Duration.ofDays(3)));
        return new Bench(database, "node", clock, seen, policy, handler);
    }

    private static List<Receipt> handle(Bench bench, InboxHandler handler, Message... messages) {
        return bench.receiver.receive(List.of(messages), message -> new HandlerTask.Single(handler));
    }

    private int purge(Bench bench) {
        return bench.retention.purge(bench.receiver.consumer(), DAY, 1_000).count();
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

    /** Rows that have had their time are found wherever they are, in one walk, however large the ledger is. */
    @Test
    void aLargeLedgerIsWalkedThroughAStretchAtATime() {
        Assumptions.assumeTrue(isPostgres(), "H2 has an index for it");
        Bench one = bench(DatabaseTest::effect);
        handle(one, DatabaseTest::effect, message("1"));
        database.run(
                "insert into idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)"
                        + " select -n, timestamptz '" + clock.instant() + "' - case when n % 1000 = 0"
                        + " then interval '2 days' else interval '0' end,"
                        + " gen_random_uuid(), l.consumer_id, l.source_id, 'D', decode(lpad(n::text, 10, '0'), 'hex')"
                        + " from generate_series(1, 400000) n, idembox_ledger l",
                "analyze idembox_ledger");
        long pages = Long.parseLong(database.one("select pg_relation_size('idembox_ledger') / 8192"));
        int walked = 0;
        int forgotten = 0;
        RetentionStore.Purged purged;
        do {
            purged = one.retention.purge(one.receiver.consumer(), DAY, 1_000);
            forgotten += purged.count();
            walked++;
        } while (purged.more());

        assertThat(forgotten).isEqualTo(400);
        assertThat(walked).isBetween(2, (int) (pages / 2048) + 1);
        assertThat(database.count("idembox_ledger")).isEqualTo(400_001 - 400);
        assertThat(plan()).anyMatch(line -> line.contains("Tid Range Scan"));
    }

    private List<String> plan() {
        return database.list(
                "explain select 1 from idembox_ledger l where l.consumer_id = "
                        + database.one("select consumer_id from idembox_consumer")
                        + " and l.ctid >= '(0,0)' and l.ctid < '(1024,0)' and l.received_at < now() limit 1000 for update skip locked");
    }
}
