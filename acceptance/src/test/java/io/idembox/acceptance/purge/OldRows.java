// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.purge;

import java.util.List;
import java.util.StringJoiner;

/**
 * Fills the tables with messages of long ago, half of them of each consumer: finished ones, which have to go, and
 * unfinished ones of every state, which have to stay whatever their age.
 */
final class OldRows {

    /** What finished messages carried; late duplicates of them carry it too. */
    static final String PAYLOAD = "{}";

    /** Longer ago than any retention. */
    private static final String LONG_AGO = "now() - interval '" + PurgeRun.RETENTION.toDays() + " days 2 hours'";

    private static final String[] TABLES = {"ledger", "entry", "body", "attempt", "outcome"};

    private final PurgeWorld world;
    private final int billing;
    private final int mail;
    private final int source;
    private final int group;
    private long block;
    private final Range expired;
    private final Range unfinished;

    /** Arrival numbers from the first up to the last. */
    private record Range(long first, long last) {

        @Override
        public String toString() {
            return "between " + first + " and " + last;
        }
    }

    OldRows(PurgeWorld world, int rows) {
        this.world = world;
        this.billing = consumer(PurgeRun.DIRECT);
        this.mail = consumer(PurgeRun.STORED);
        this.source = (int) world.number("select source_id from idembox_source where name = ?", PurgeRun.SOURCE);
        this.group = Math.max(20, rows / 1_000);
        this.block = world.number("select nextval('idembox_arrival')") + 1;
        long begin = block * 2048;
        loadExpired(rows - 2 * group);
        long middle = block * 2048;
        loadUnfinished();
        this.expired = new Range(begin, middle - 1);
        this.unfinished = new Range(middle, block * 2048 - 1);
        world.one("select setval('idembox_arrival', ?)", block);
        for (String table : TABLES) {
            world.run("vacuum analyze idembox_" + table);
        }
    }

    private int consumer(String name) {
        return (int) world.number("select consumer_id from idembox_consumer where name = ?", name);
    }

    /** How many marks have to go. */
    long expired() {
        return world.number("select count(*) from idembox_ledger where arrival " + expired);
    }

    /** Conflicts that were discarded long enough ago go on their own, and are counted too. */
    long discardedConflicts() {
        return world.number("select count(*) from idembox_entry where original is not null and state = 'DISCARDED'"
                + " and changed_at < now() - interval '1 day'");
    }

    /** How many rows there are of them in all tables. */
    long expiredInAllTables() {
        long rows = 0;
        for (String table : TABLES) {
            rows += world.number("select count(*) from idembox_" + table + " where arrival " + expired);
        }
        return rows;
    }

    long unfinished() {
        return world.number("select count(*) from idembox_entry where arrival " + unfinished);
    }

    /** Everything about unfinished messages, as one line that changes when any column of any row does. */
    String fingerprint() {
        StringJoiner line = new StringJoiner(" ");
        for (String table : TABLES) {
            line.add(table).add(digest(table, "arrival " + unfinished));
        }
        return line.add("lease").add(digest("lease", "node = 'elsewhere'")).toString();
    }

    private String digest(String table, String which) {
        return world.one(
                "select count(*) || '/' || coalesce(md5(string_agg(cast(t as text), '|' order by cast(t as text))), '-')"
                        + " from idembox_" + table + " t where " + which);
    }

    private void loadExpired(int count) {
        Range plain = marks("old-", count);
        bodies(plain, 4);
        outcomes(plain, 3);
        attempts(plain, 50);
        Range discarded = marks("discarded-", group);
        bodies(discarded, 1);
        attempts(discarded, 1);
        entries(discarded, "DISCARDED", "'INBOX'", "null", LONG_AGO);
        Range contradicted = marks("contradicted-", group);
        conflicts(contradicted, "DISCARDED", LONG_AGO);
    }

    private void loadUnfinished() {
        Range received = open("received-", "RECEIVED", "'INBOX'", "null");
        world.run(
                "insert into idembox_lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)"
                        + " select gen_random_uuid(), nextval('idembox_lease_number'), consumer_id, now(), now() + interval '1 day', false, 'elsewhere',"
                        + " array_agg(arrival order by arrival) from idembox_entry where arrival " + received
                        + " group by consumer_id");
        open("waiting-", "WAITING", "'INBOX'", "null");
        open("retryable-", "FAILED_RETRYABLE", "'INBOX'", "now() + interval '1 day'");
        open("redelivery-", "FAILED_RETRYABLE", "'REDELIVERY'", "null");
        open("terminal-", "FAILED_TERMINAL", "'INBOX'", "null");
        open("parked-", "PARKED", "'INBOX'", "null");
        entries(withDetails(marks("lately-discarded-", group)), "DISCARDED", "'INBOX'", "null", "now()");
        conflicts(marks("conflicting-", group), "PARKED", LONG_AGO);
        conflicts(marks("lately-settled-", group), "DISCARDED", "now()");
    }

    private Range open(String prefix, String state, String owner, String due) {
        Range range = withDetails(marks(prefix, group));
        entries(range, state, owner, due, LONG_AGO);
        return range;
    }

    private Range withDetails(Range range) {
        bodies(range, 1);
        attempts(range, 2);
        return range;
    }

    /** Marks of long ago, in the order they came in. */
    private Range marks(String prefix, int count) {
        Range range = next(count);
        world.run(
                """
                insert into idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
                select (cast(? as bigint) + n / 1000) * 2048 + n % 1000 * 2,
                       @ - (cast(? as int) - n) * interval '20 seconds',
                       cast(? as uuid),
                       case n % 2 when 0 then ? else ? end,
                       ?,
                       cast(case n % 2 when 0 then 'D' else 'S' end as "char"),
                       '\\x00'::bytea || convert_to(cast(? as text) || n, 'UTF8')
                  from generate_series(0, ? - 1) as n
                """.replace("@", LONG_AGO),
                range.first() / 2048,
                count,
                PurgeRun.fingerprint(PAYLOAD).toString(),
                billing,
                mail,
                source,
                prefix,
                count);
        return range;
    }

    /** Arrival numbers for that many, a thousand to a block, as batches get them. */
    private Range next(int count) {
        long first = block * 2048;
        block += count / 1_000 + 1;
        return new Range(first, block * 2048 - 1);
    }

    private void bodies(Range range, int every) {
        world.run(
                "insert into idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type, payload)"
                        + " select arrival, 0, 1, consumer_id, source_id, id, 'OrderPlaced', convert_to('" + PAYLOAD
                        + "', 'UTF8')"
                        + some(range, every));
    }

    private void outcomes(Range range, int every) {
        world.run("insert into idembox_outcome (arrival, settled_at, attempts, result, result_type)"
                + " select arrival, received_at + interval '1 minute', 1, convert_to('{\"nr\":1}', 'UTF8'), 'application/json'"
                + some(range, every));
    }

    private void attempts(Range range, int every) {
        world.run(
                "insert into idembox_attempt (arrival, number, node, started_at, ended_at, outcome, error_kind, error_class, error)"
                        + " select arrival, 1, 'elsewhere', received_at, received_at, 'FAILED_RETRYABLE', 'TRANSIENT', 'Broken', 'not yet'"
                        + some(range, every));
    }

    private static String some(Range range, int every) {
        return " from idembox_ledger where arrival " + range + " and arrival / 2 % " + every + " = 0";
    }

    private void entries(Range range, String state, String owner, String due, String changed) {
        world.run(
                "insert into idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, due_at, changed_at)"
                        + " select arrival, consumer_id, 1, 0, 0, '" + state + "', " + owner + ", " + due + ", "
                        + changed
                        + " from idembox_ledger where arrival " + range);
    }

    /** Another payload under the id of each, with an arrival number of its own. */
    private void conflicts(Range originals, String state, String changed) {
        Range own = next(group);
        long shift = own.first() - originals.first();
        for (String statement : List.of(
                "insert into idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type, payload,"
                        + " original, variant) select arrival + " + shift + ", 0, 1, consumer_id, source_id, id,"
                        + " 'OrderPlaced', convert_to('[]', 'UTF8'), arrival, gen_random_uuid()",
                "insert into idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, reason, original,"
                        + " changed_at) select arrival + " + shift + ", consumer_id, 1, 0, 0, '" + state
                        + "', 'INBOX', 'CONFLICT', arrival, " + changed)) {
            world.run(statement + " from idembox_ledger where arrival " + originals);
        }
    }
}
