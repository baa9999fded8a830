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

    static final String UNBOUND_THE_WAIT = """
            select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
            """;

    static final String INSERT_BODY = """
            insert into {prefix}body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
                   message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id,
                   original, variant, received_at)
            values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                   case when cast(? as boolean) then cast({now} as {time}) end)
            """;

    /** Whether the first unfinished message of a key waits for one that has not come. */
    static final String GAP = """
            coalesce((select w.state
                        from {prefix}entry w
                       where w.key_id = p.key_id
                         and w.state = any (?)
                       order by w.place nulls first, w.arrival
                       limit 1) = 'WAITING', false)
               and coalesce((select min(w.place)
                               from {prefix}entry w
                              where w.key_id = p.key_id
                                and w.state = 'WAITING') > p.reached + 1, false)""";

    /** Nothing hangs on the key. */
    static final String IDLE = """
            (select e.arrival from {prefix}entry e where e.key_id = k.key_id limit 1) is null
               and (select p.generation from {prefix}position p where p.key_id = k.key_id limit 1) is null""";

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
                       join m on m.slot = l.arrival % 2048
                      order by l.arrival)""".replace('@', kind) + more.strip() + """

                select arrival from l;
                """ + UNBOUND_THE_WAIT + """
                savepoint idembox_batch
                """;
    }
}
