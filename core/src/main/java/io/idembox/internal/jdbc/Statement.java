// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every statement of the product, whole, per database; {@code {prefix}} stands for schema and table prefix,
 * {@code {now}} for the time.
 *
 * <p>House rules: explicit columns; who changes ownership names the token; time is the given instant in tests and the
 * database's own clock in production, as a sub-select, so that it is evaluated once.
 */
enum Statement {
    /**
     * Recording, PostgreSQL: all of it travels in one round trip. The first statement bounds the wait at the front door
     * and the third takes the bound away again before handlers run, because it would cut their own lock waits as well.
     */
    INSERT_MARKS("""
            set transaction isolation level read committed;
            """ + Texts.BOUND_THE_WAIT + """
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            select (select nextval('{prefix}arrival')) * 2048 + m.slot,
                   (select coalesce(cast(? as timestamptz), clock_timestamp())),
                   m.variant, ?, m.source_id, 'D', m.id
              from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]))
                as m(slot, source_id, id, variant)
                on conflict do nothing
            returning arrival;
            """ + Texts.UNBOUND_THE_WAIT + """
            savepoint idembox_batch
            """, null),

    /** The same for one message, which is what most people begin with: no arrays, a third less work for the server. */
    INSERT_ONE_MARK("""
            set transaction isolation level read committed;
            """ + Texts.BOUND_THE_WAIT + """
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            values (nextval('{prefix}arrival') * 2048 + ?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, 'D', ?)
                on conflict do nothing
            returning arrival;
            """ + Texts.UNBOUND_THE_WAIT + """
            savepoint idembox_batch
            """, null),

    /** The same with bodies, for consumers that keep them. */
    INSERT_MARKS_AND_BODIES(Texts.recordingBodies('D', ""), null),

    /** The same with bodies and entries: stored now, worked on later. */
    INSERT_STORED(Texts.recordingBodies('S', """
            ,
            e as (
                 insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner)
                 select l.arrival, l.consumer_id, 0, 0, 0, 'RECEIVED', 'INBOX'
                   from l
                  where l.arrival % 2 = 0)"""), null),

    /** Recording, one row: PostgreSQL's busy path, and H2. */
    INSERT_MARK("""
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            values (?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, ?, ?)
                on conflict do nothing
            """, """
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            values (?, ?, ?, ?, ?, ?, ?)
            """),

    NEXT_ARRIVAL("""
            select nextval('{prefix}arrival') * 2048
            """, """
            select next value for {prefix}arrival * 2048
            """),

    BOUND_THE_WAIT(Texts.BOUND_THE_WAIT, """
            set lock_timeout ?
            """),

    UNBOUND_THE_WAIT(Texts.UNBOUND_THE_WAIT, null),

    /**
     * What is known about messages that were seen before. Each id is looked up by the key, whatever the planner thinks of
     * the tables: a cached plan that was made for a small ledger would otherwise read all of it once it is large.
     */
    FIND("""
            select set_config('idembox.enable_seqscan', current_setting('enable_seqscan'), true),
                   set_config('enable_seqscan', 'off', true);
            select m.slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class, e.sql_state, e.error,
                   o.result, o.result_type
              from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[])) as m(slot, source_id, id)
             cross join lateral (
                  select k.arrival, k.variant, k.consumer_id
                    from {prefix}ledger k
                   where k.consumer_id = ?
                     and k.source_id = m.source_id
                     and k.id = m.id
                   limit 1) l
              left join {prefix}entry e
                on e.consumer_id = l.consumer_id
               and e.arrival = l.arrival
               and e.state in {states}
              left join {prefix}outcome o
                on o.arrival = l.arrival;
            select set_config('enable_seqscan', current_setting('idembox.enable_seqscan'), true)
            """, """
            select cast(? as int) as slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class,
                   e.sql_state, e.error,
                   o.result, o.result_type
              from {prefix}ledger l
              left join {prefix}entry e
                on e.consumer_id = l.consumer_id
               and e.arrival = l.arrival
               and e.state in {states}
              left join {prefix}outcome o
                on o.arrival = l.arrival
             where l.consumer_id = ?
               and l.source_id = ?
               and l.id = ?
            """),

    /**
     * The claim of a redelivery: whoever gets the row lock and finds the entry still failed has it until the commit. H2
     * does not bound the wait for a row of a transaction in which a statement failed, so there it does not wait at all.
     */
    TAKE(Texts.TAKE + """
               for update
            """, Texts.TAKE + """
               for update nowait
            """),

    /** A body, unless it is there. Its row count decides whether a conflict is new. */
    INSERT_BODY(Texts.INSERT_BODY + """
                on conflict do nothing
            """, Texts.INSERT_BODY),

    /** A stored message, row by row. */
    INSERT_RECEIVED("""
            insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner)
            values (?, ?, 0, 0, 0, 'RECEIVED', 'INBOX')
            """),

    INSERT_ENTRY("""
            insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner, original, source_id,
                   id, reason, error_kind, error_class, sql_state, error, due_at, changed_at)
            values (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {due}, {now})
            """),

    /** A failed attempt of an entry that is ours: it has to be where it was when we got it. */
    FAIL_ENTRY("""
            update {prefix}entry
               set state = ?,
                   owner = ?,
                   reason = ?,
                   failures = ?,
                   error_kind = ?,
                   error_class = ?,
                   sql_state = ?,
                   error = ?,
                   due_at = {due},
                   changed_at = {now}
             where consumer_id = ?
               and state = ?
               and arrival = ?
            """),

    /** An entry of a torn transaction: nobody knows whose it is, so nobody is asked. */
    PARK_ENTRY("""
            update {prefix}entry
               set state = 'PARKED',
                   reason = ?,
                   error_kind = ?,
                   error_class = ?,
                   sql_state = ?,
                   error = ?,
                   due_at = null,
                   changed_at = {now}
             where consumer_id = ?
               and arrival = ?
               and state in {states}
            """),

    /** The only way an entry leaves: settled. It has to be where it was when we got it; the row count tells. */
    SETTLE_ENTRIES("""
            delete from {prefix}entry
             where consumer_id = ?
               and state = ?
               and arrival = any (?)
            """),

    INSERT_ATTEMPT("""
            insert into {prefix}attempt (arrival, number, node, started_at, ended_at, outcome, error_kind, error_class,
                   sql_state, error, stack_trace, trace_id)
            values (?, ?, ?, ?, {now}, ?, ?, ?, ?, ?, ?, ?)
            """),

    /** Many that ended alike. */
    INSERT_OUTCOMES("""
            insert into {prefix}outcome (arrival, settled_at, attempts)
            select a.arrival, {now}, cast(? as int)
              from unnest(cast(? as bigint array)) as a(arrival)
            """),

    INSERT_OUTCOME("""
            insert into {prefix}outcome (arrival, settled_at, attempts, result, result_type)
            values (?, {now}, ?, ?, ?)
            """),

    /** Marks of this very transaction are taken back; nobody has seen them. */
    UNRECORD_MARK("""
            delete from {prefix}ledger
             where consumer_id = ?
               and source_id = ?
               and id = ?
               and arrival = ?
            """),

    UNRECORD_BODY("""
            delete from {prefix}body
             where arrival = ?
            """),

    FIND_CONSUMER("""
            select c.consumer_id, f.name as first_name
              from {prefix}consumer c
              join {prefix}consumer f
                on f.consumer_id = c.consumer_id
               and not f.alias
             where c.name = ?
            """),

    INSERT_CONSUMER("""
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, nextval('{prefix}number'), false)
                on conflict do nothing
            """, """
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, next value for {prefix}number, false)
            """),

    INSERT_ALIAS("""
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, ?, true)
                on conflict do nothing
            """, """
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, ?, true)
            """),

    FIND_SOURCE("""
            select source_id
              from {prefix}source
             where name = ?
            """),

    INSERT_SOURCE("""
            insert into {prefix}source (name, source_id)
            values (?, nextval('{prefix}number'))
                on conflict do nothing
            """, """
            insert into {prefix}source (name, source_id)
            values (?, next value for {prefix}number)
            """),

    INSERT_TALLY("""
            insert into {prefix}tally (consumer_id, minute_start, node, completed, duplicates, stored, busy, failed, refused)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """),

    FIND_VERSION("""
            select max(version)
              from {prefix}schema
            """),

    FIND_PROBE("""
            select count(*)
              from {prefix}ledger
             where consumer_id = 0
               and source_id = 0
               and id = ?
            """);

    private final Map<Database, String> texts;

    Statement(String standard) {
        this(standard, standard);
    }

    Statement(String postgresql, @Nullable String h2) {
        this.texts = h2 == null
                ? Map.of(Database.POSTGRESQL, postgresql)
                : Map.of(Database.POSTGRESQL, postgresql, Database.H2, h2);
    }

    /** The text with its placeholder; empty where the database does not need the statement. */
    String text(Database database) {
        return texts.getOrDefault(database, "")
                .replace("{due}", Texts.due(database))
                .replace("{now}", Texts.now(database))
                .replace("{states}", Texts.STATES)
                .strip();
    }

    /** Pieces that several statements share. */
    private static final class Texts {

        static final String BOUND_THE_WAIT = """
                select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
                       set_config('lock_timeout', ?, true);
                """;

        static final String UNBOUND_THE_WAIT = """
                select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
                """;

        /** Every state an entry can be in: with all of them named, an entry is found by its key. */
        static final String STATES =
                "('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')";

        static final String INSERT_BODY = """
                insert into {prefix}body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
                       message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id,
                       original, variant)
                values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """;

        static final String TAKE = """
                select failures, crashes, releases
                  from {prefix}entry
                 where consumer_id = ?
                   and state = 'FAILED_RETRYABLE'
                   and arrival = ?
                   and owner = 'REDELIVERY'
                """;

        /** Marks with their bodies, and what else is born with a mark. */
        static String recordingBodies(char kind, String more) {
            return """
                    set transaction isolation level read committed;
                    """ + BOUND_THE_WAIT + """
                    with m as materialized (
                         select *
                           from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]),
                                       cast(? as int[]), cast(? as text[]), cast(? as text[]), cast(? as bytea[]),
                                       cast(? as bytea[]), cast(? as text[]), cast(? as timestamptz[]), cast(? as text[]),
                                       cast(? as int[]), cast(? as bigint[]), cast(? as text[]))
                             as m(slot, source_id, id, variant, event_version, event_type, message_key, headers, payload,
                                  content_type, sent_at, channel, partition_no, offset_no, full_id)),
                    l as (
                         insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
                         select (select nextval('{prefix}arrival')) * 2048 + m.slot,
                                (select coalesce(cast(? as timestamptz), clock_timestamp())),
                                m.variant, ?, m.source_id, '@', m.id
                           from m
                             on conflict do nothing
                         returning arrival, consumer_id),
                    b as (
                         insert into {prefix}body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
                                message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no,
                                full_id)
                         select l.arrival, 0, m.event_version, l.consumer_id, m.source_id, m.id, m.event_type,
                                m.message_key, m.headers, m.payload, m.content_type, m.sent_at, m.channel, m.partition_no,
                                m.offset_no, m.full_id
                           from l
                           join m on m.slot = l.arrival % 2048)""".replace('@', kind) + more.strip() + """

                    select arrival from l;
                    """ + UNBOUND_THE_WAIT + """
                    savepoint idembox_batch
                    """;
        }

        static String now(Database database) {
            return switch (database) {
                case POSTGRESQL -> "coalesce(cast(? as timestamptz), clock_timestamp())";
                case H2 -> "?";
            };
        }

        /** Some microseconds from now, or null; bound as the microseconds, then the time. */
        static String due(Database database) {
            return switch (database) {
                case POSTGRESQL -> "cast(? as bigint) * interval '1 microsecond' + {now}";
                case H2 -> "dateadd('MICROSECOND', cast(? as bigint), cast({now} as timestamp(6) with time zone))";
            };
        }
    }
}
