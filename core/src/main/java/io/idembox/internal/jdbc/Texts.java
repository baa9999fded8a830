// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

/** Pieces that several statements share. */
final class Texts {

    private Texts() {}

    /** Where one statement of another kind does the work of several. */
    static final String NOT_NEEDED = "";

    static final String BOUND_THE_WAIT = """
            select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
                   set_config('lock_timeout', ?, true);
            """;

    /** The same, or the setting of the connection when no bound is given. */
    static final String BOUND_THE_WAIT_IF_ANY = """
            select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
                   set_config('lock_timeout', coalesce(cast(? as text), current_setting('lock_timeout')), true);
            """;

    /**
     * PostgreSQL: whoever finishes or forgets messages of a consumer is inside until the end of his transaction; whoever begins a
     * replay waits until all are out. No row is written for it.
     */
    static final String DOOR =
            "(cast(cast(cast('{prefix}ledger' as regclass) as oid) as bigint) << 32) | cast(? as bigint)";

    /** The same as {@link #BOUND_THE_WAIT}, and goes inside. */
    static final String BOUND_THE_WAIT_AND_ENTER = """
            select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
                   set_config('lock_timeout', ?, true),
                   pg_advisory_xact_lock_shared(@);
            """.replace("@", DOOR);

    static final String UNBOUND_THE_WAIT = """
            select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
            """;

    /** Inserts or locks keys, in the order of their names on every node: in another order two nodes could deadlock. */
    static final String INSERT_OR_LOCK_KEYS = """
            insert into {prefix}key as k (consumer_id, name, key_id)
            select ?, n.name, nextval('{prefix}key_number')
              from (select u.name
                      from unnest(cast(? as text[])) as u(name)
                     order by u.name collate "C") n
                on conflict (consumer_id, name) do update set name = k.name;
            """;

    /** Locks keys in the order of their names. */
    static final String RELOCK_KEYS = """
            select key_id
              from {prefix}key
             where key_id = any (?)
             order by consumer_id, name
               for update
            """;

    /** Inserts or locks keys, takes the bound of the wait away, then looks who is in front of each. */
    static final String LOCK_KEYS = INSERT_OR_LOCK_KEYS + UNBOUND_THE_WAIT + """
            select k.name, k.key_id, f.arrival, f.sequence_no, p.reached
              from {prefix}key k
              left join lateral (
                   select e.arrival, e.sequence_no
                     from {prefix}entry e
                    where e.key_id = k.key_id
                      and e.state = any (?)
                    order by e.sequence_no nulls first, e.arrival
                    limit 1) f
                on true
              left join {prefix}sequence p
                on p.key_id = k.key_id
               and p.generation = 0
             where k.consumer_id = ?
               and k.name = any (?)
            """;

    /**
     * PostgreSQL: how many of the consumer and the sources that a transaction records under have their numbers in this database;
     * behind the inserts, in the same round trip, so that nothing is handled under a number that the database has lost. A
     * foreign key would lock the one row of the consumer for every message, and would not detect that a number belongs to another name.
     */
    static final String KNOWN = """
            select (select count(*)
                      from {prefix}consumer c
                     where c.name = ?
                       and c.consumer_id = ?
                       and not c.alias)
                 + (select count(*)
                      from unnest(cast(? as text[]), cast(? as int[])) as k(name, source_id)
                     cross join lateral (
                           select 1
                             from {prefix}source s
                            where s.name = k.name
                              and s.source_id = k.source_id
                            limit 1) s) as known
            """;

    /** The same for one source. */
    static final String KNOWN_ONE = """
            select (select count(*)
                      from {prefix}consumer c
                     where c.name = ?
                       and c.consumer_id = ?
                       and not c.alias)
                 + (select count(*)
                      from {prefix}source s
                     where s.name = ?
                       and s.source_id = ?) as known
            """;

    static final String INSERT_BODY = """
            insert into {prefix}body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
                   message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id,
                   original, variant, received_at)
            values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                   case when cast(? as boolean) then cast({now} as {time}) end)
            """;

    /**
     * By keys, whatever the planner thinks of the tables; handlers' statements are planned as before. What is switched off has the price of
     * ten billion rows up to PostgreSQL 17, for which the server would compile the plan, each time: a second or two, for a millisecond of work.
     */
    static final String ALONG_THE_KEYS = """
            select set_config('idembox.enable_seqscan', current_setting('enable_seqscan'), true),
                   set_config('idembox.jit', current_setting('jit'), true),
                   set_config('enable_seqscan', 'off', true),
                   set_config('jit', 'off', true);
            """;

    static final String AS_BEFORE = """
            select set_config('enable_seqscan', current_setting('idembox.enable_seqscan'), true),
                   set_config('jit', current_setting('idembox.jit'), true)
            """;

    /** One plan for all days: one that was made on the first, for a few messages, would read all of them later. */
    static final String LOAD_BY_INDEX = """
            select set_config('enable_seqscan', 'off', true),
                   set_config('jit', 'off', true),
                   set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_hashjoin', 'off', true),
                   set_config('enable_mergejoin', 'off', true);
            """;

    /** An entry e with its body b. */
    static final String LOADED = """
            select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
                   e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
                   b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
                   (select p.reached from {prefix}sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
            """;

    /** Of a body that was edited, the newest revision. */
    static final String NEWEST_BODY = """
             cross join lateral (
                   select *
                     from {prefix}body r
                    where r.arrival = e.arrival
                    order by r.revision desc
                    limit 1) b
              join {prefix}source s
                on s.source_id = b.source_id
            """;

    static final String NEWEST_BODY_H2 = """
              join {prefix}body b
                on b.arrival = e.arrival
               and b.revision = (select max(r.revision) from {prefix}body r where r.arrival = e.arrival)
              join {prefix}source s
                on s.source_id = b.source_id
            """;

    /** The same with a left join: an entry without body or source is found and parked. */
    static final String NEWEST_BODY_IF_ANY = """
              left join lateral (
                   select *
                     from {prefix}body r
                    where r.arrival = e.arrival
                    order by r.revision desc
                    limit 1) b
                on true
              left join {prefix}source s
                on s.source_id = b.source_id
            """;

    static final String NEWEST_BODY_IF_ANY_H2 = """
              left join {prefix}body b
                on b.arrival = e.arrival
               and b.revision = (select max(r.revision) from {prefix}body r where r.arrival = e.arrival)
              left join {prefix}source s
                on s.source_id = b.source_id
            """;

    /** Whether the first unfinished message of a key waits for one that has not come. */
    static final String GAP = """
            coalesce((select w.state
                        from {prefix}entry w
                       where w.key_id = p.key_id
                         and w.state = any (?)
                       order by w.sequence_no nulls first, w.arrival
                       limit 1) = 'WAITING', false)
               and coalesce((select min(w.sequence_no)
                               from {prefix}entry w
                              where w.key_id = p.key_id
                                and w.state = 'WAITING') - 1 > p.reached, false)""";

    /** Nothing hangs on the key. */
    static final String IDLE = """
            (select e.arrival from {prefix}entry e where e.key_id = k.key_id limit 1) is null
               and (select p.generation from {prefix}sequence p where p.key_id = k.key_id limit 1) is null""";

    static final String TAKE = """
            select failures, crashes, releases, coalesce(forgiven, 0) as forgiven
              from {prefix}entry
             where consumer_id = ?
               and state = 'FAILED_RETRYABLE'
               and arrival = ?
               and owner = 'REDELIVERY'
            """;

    /** What goes with marks that are gone: bodies, conflicting ones as well, and what is told about them. */
    static final String WITHOUT_MARK = """
            bodies as (
                 delete from {prefix}body b
                  using gone
                  where b.arrival = gone.arrival),
            conflicts as (
                 delete from {prefix}body b
                  using gone
                  where b.original = gone.arrival
                 returning b.arrival),
            nameless as (
                 select arrival from gone
                  union all
                 select arrival from conflicts),
            attempts as (
                 delete from {prefix}attempt a
                  using nameless
                  where a.arrival = nameless.arrival),
            steps as (
                 delete from {prefix}step s
                  using nameless
                  where s.arrival = nameless.arrival),
            outcomes as (
                 delete from {prefix}outcome o
                  using nameless
                  where o.arrival = nameless.arrival)
            """;

    /** Marks with their bodies, and what else is born with a mark. */
    static String recordingBodies(char kind, String door, String more) {
        return """
                set transaction isolation level read committed;
                """ + door + marksAndBodies(kind, "", "") + more.strip() + """

                select arrival from l;
                """ + UNBOUND_THE_WAIT + """
                savepoint idembox_batch;
                """ + KNOWN;
    }

    /** Messages that were sent by handlers: with their cause. */
    static String sentBodies() {
        return marksAndBodies('S', ", cast(? as bigint[])", "cause");
    }

    private static String marksAndBodies(char kind, String moreArrays, String moreColumns) {
        String more = moreColumns.isEmpty() ? "" : ", " + moreColumns;
        return """
                with m as materialized (
                     select *
                       from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]),
                                   cast(? as int[]), cast(? as text[]), cast(? as text[]), cast(? as bytea[]),
                                   cast(? as bytea[]), cast(? as text[]), cast(? as timestamptz[]), cast(? as text[]),
                                   cast(? as int[]), cast(? as bigint[]), cast(? as text[])<arrays>)
                         as m(slot, source_id, id, variant, event_version, event_type, message_key, headers, payload,
                              content_type, sent_at, channel, partition_no, offset_no, full_id<more>)),
                l as (
                     insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
                     select (select nextval('{prefix}arrival')) * 2048 + m.slot,
                            (select coalesce(cast(? as timestamptz), clock_timestamp())),
                            m.variant, ?, m.source_id, '<kind>', m.id
                       from m
                         on conflict do nothing
                     returning arrival, consumer_id),
                b as (
                     insert into {prefix}body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
                            message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no,
                            full_id<more>)
                     select l.arrival, 0, m.event_version, l.consumer_id, m.source_id, m.id, m.event_type,
                            m.message_key, m.headers, m.payload, m.content_type, m.sent_at, m.channel, m.partition_no,
                            m.offset_no, m.full_id<more>
                       from l
                       join m on m.slot = l.arrival % 2048
                      order by l.arrival)""".replace("<kind>", String.valueOf(kind))
                .replace("<arrays>", moreArrays)
                .replace("<more>", more);
    }
}
