// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.ReplayRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** M22: a replay of twice as many messages reads twice as many rows when it begins, whatever PostgreSQL knows about its tables. */
class ReplayReadsDbTest extends ReplayTest {

    private static final int MESSAGES = 5_000;

    /** For each message: a few by each statement, and all keys by some of them, as long as they are on a few pages. */
    private static final long READS = 300;

    @ParameterizedTest(name = "analyzed before: {0}")
    @ValueSource(booleans = {false, true})
    void aReplayOfManyReadsEachOfThemAFewTimes(boolean analyzed) {
        settled(analyzed);
        long before = reads();

        start("rebuild");

        assertThat(unfinished()).isEqualTo(MESSAGES + 1);
        assertThat(reads() - before).isBetween((long) MESSAGES, MESSAGES * READS);
        assertThat(database.count("idembox_step")).isZero();
    }

    @ParameterizedTest(name = "analyzed before: {0}")
    @ValueSource(booleans = {false, true})
    void oneThatTakesTheirPlaceAndIsNarrowerDoesToo(boolean analyzed) {
        settled(analyzed);
        start("rebuild");
        long before = reads();
        replays()
                .plan(
                        ReplayRange.of(CONSUMER).from(clock.instant().minusSeconds(3_600)),
                        AS_IT_COMES,
                        operation("again"));
        replays().start("again", operation("start again"), ReplayTest::empty);

        assertThat(unfinished()).isEqualTo(MESSAGES + 1);
        assertThat(database.list("select distinct cast(generation as varchar) from idembox_entry"))
                .containsExactly("2");
        assertThat(reads() - before).isBetween((long) MESSAGES, MESSAGES * READS);
    }

    private long unfinished() {
        return database.count("idembox_entry");
    }

    /** A message that was handled, and many like it, with a step each. */
    private void settled(boolean analyzed) {
        store("1/a");
        if (analyzed) {
            // What it knows then is that there is one of everything.
            database.run("analyze");
        }
        workUntilIdle();
        database.run(
                "insert into idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type, message_key)"
                        + " select 1000000 + n * 2, 0, 1, b.consumer_id, b.source_id, cast('a' || n as bytea), 'A', 'k' || n % 50"
                        + " from idembox_body b, generate_series(1, " + MESSAGES + ") n",
                "insert into idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)"
                        + " select b.arrival, l.received_at, gen_random_uuid(), b.consumer_id, b.source_id, 'S', b.id"
                        + " from idembox_body b, idembox_ledger l where b.event_type = 'A'",
                "insert into idembox_step (arrival, name, finished_at, node)"
                        + " select arrival, 'call', now(), 'node' from idembox_body");
    }

    private long reads() {
        database.run("select pg_stat_force_next_flush()");
        return Long.parseLong(
                database.one(
                        "select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) from pg_stat_user_tables"
                                + " where relname in ('idembox_ledger', 'idembox_body', 'idembox_entry', 'idembox_key', 'idembox_step')"));
    }
}
