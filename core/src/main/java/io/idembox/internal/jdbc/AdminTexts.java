// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.time.Duration;

/** Pieces that the statements of people share. */
final class AdminTexts {

    private AdminTexts() {}

    /** PostgreSQL: who looks does not keep the database busy for longer than {@link #PATIENCE}. */
    static final String BOUNDED = """
            select set_config('statement_timeout', '5s', true);
            """;

    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** PostgreSQL: along the indexes, whatever a plan says that was made when there were few rows. */
    static final String PINNED = """
            select set_config('statement_timeout', '5s', true),
                   set_config('enable_seqscan', 'off', true),
                   set_config('jit', 'off', true),
                   set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_hashjoin', 'off', true),
                   set_config('enable_mergejoin', 'off', true);
            """;

    /** What is known of an entry; without one they are null. */
    static final String COLUMNS = """
                   e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
                   e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
                   coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
                   b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
                   b.payload_bytes, b.content_type, h.node, h.lease_until, {group} as failure_group
            """;

    private static final String MARK = """
              left join {prefix}ledger l
                on l.consumer_id = e.consumer_id
               and l.source_id = coalesce(e.source_id, b.source_id)
               and l.id = coalesce(e.id, b.id)
               and l.arrival = e.arrival
            """;

    /** PostgreSQL: a lookup for each, and never along all the ids of the consumer, whatever the planner thinks. */
    private static final String MARK_LOOKED_UP = """
              left join lateral (
                   select w.received_at
                     from {prefix}ledger w
                    where w.consumer_id = e.consumer_id
                      and w.source_id = coalesce(e.source_id, b.source_id)
                      and w.id = coalesce(e.id, b.id)
                      and w.arrival = e.arrival
                    limit 1) l
                on true
            """;

    /** Entries with everything beside them. Source and id are in the body, or where none is kept, in the entry. */
    private static final String BESIDE = """
              left join {prefix}envelope b
                on b.arrival = e.arrival
               and b.revision = 0
              left join {prefix}source s
                on s.source_id = coalesce(e.source_id, b.source_id)
              left join {prefix}key k
                on k.key_id = e.key_id
            """ + MARK + """
              left join {prefix}lease h
                on h.consumer_id = e.consumer_id
               and {leased}
            """;

    static final String FROM = """
              from {prefix}entry e
            """ + BESIDE;

    /** Those of a key, by its index; and those without a key of their own, whose bodies may name it. */
    static final String FROM_KEY = """
              from (
            select w.*
              from {prefix}entry w
             where w.key_id = (select n.key_id from {prefix}key n where n.consumer_id = ? and n.name = ?)
             union all
            select w.*
              from {prefix}entry w
             where w.key_id is null) e
            """ + BESIDE;

    private static final String WITHOUT_SOURCE = """
            select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as {time}) as settled_at,
                   cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
            """ + COLUMNS;

    static final String UNFINISHED = WITHOUT_SOURCE + FROM;

    /** Where {@link FilterPredicates} come in. */
    static final String MORE = """
               -- and what else is asked for
            """;

    /** What every filter asks for; without an id the first of its two values is true. */
    static final String MATCHING = """
               and e.consumer_id = ?
               and e.arrival > ?
               and (cast(? as boolean) or e.arrival = any (?))
            """ + MORE;

    /**
     * What nobody works on state by state along the key of the entries; what is worked on, from the leases: of the outbox also
     * those that wait behind others under the same lease.
     */
    static String page(String from) {
        return PINNED
                + ("""
            select r.*
              from (
            select u.*
              from unnest(cast(? as varchar[])) as w(state)
             cross join lateral (
            """ + WITHOUT_SOURCE + from + """
             where e.state = w.state
               and h.token is null
            """ + MATCHING + """
             order by e.arrival
             limit ?) u
             union all
            select v.*
              from (
            """ + WITHOUT_SOURCE + FROM + """
             where cast(? as boolean)
               and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING')
               and e.arrival = any (array(
                   select unnest(q.arrivals)
                     from {prefix}lease q
                    where q.consumer_id = ?))
               and h.token is not null
            """ + MATCHING + """
             order by e.arrival
             limit ?) v) r
             order by r.arrival
             limit ?
            """)
                        .replace(MARK, MARK_LOOKED_UP);
    }

    /** The same on H2, which goes through the entries. */
    static String pageInH2() {
        return """
            select r.*
              from (
            """ + WITHOUT_SOURCE + FROM + """
             where (case when h.token is null then array_contains(cast(? as varchar array), e.state)
                    else cast(? as boolean) and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING') end)
            """ + MATCHING + """
             order by e.arrival
             limit ?) r
             order by r.arrival
             limit ?
            """;
    }

    /** What failed and is not done with, by its group: how many, since when, and the last one of each. */
    static final String GROUPS = PINNED + groups(FROM.replace(MARK, MARK_LOOKED_UP));

    static final String GROUPS_IN_H2 = groups(FROM);

    private static String groups(String from) {
        return """
            select r.*, n.note, n.by_whom as noted_by, n.noted_at
              from (
            select u.*,
                   count(*) over (partition by u.failure_group) as members,
                   min(coalesce(u.changed_at, u.received_at)) over (partition by u.failure_group) as first_at,
                   max(coalesce(u.changed_at, u.received_at)) over (partition by u.failure_group) as last_at,
                   row_number() over (partition by u.failure_group order by u.arrival desc) as nth
              from (
            """ + WITHOUT_SOURCE + from + """
             where e.state in ('FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED')
               and (case when h.token is null then e.state = any (?) else cast(? as boolean) end)
            """ + MATCHING + """
                   ) u
             where u.failure_group is not null) r
              left join {prefix}note n
                on n.consumer_id = ?
               and n.failure_group = r.failure_group
             where r.nth = 1
             order by r.members desc, r.last_at desc, r.failure_group
             limit ?
            """;
    }

    /** Arrival numbers are given out in order, so the lowest of them is the oldest, near enough. */
    static final String WAITING = """
            select c.waiting, coalesce(l.received_at, b.received_at, e.changed_at) as oldest_at
              from (select count(*) as waiting, min(u.arrival) as arrival
                      from (
            """ + of("RECEIVED") + "             union all\n" + of("WAITING")
            + "             union all\n" + of("FAILED_RETRYABLE") + """
                           ) u) c
              left join {prefix}entry e
                on e.consumer_id = ?
               and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE')
               and e.arrival = c.arrival
              left join {prefix}envelope b
                on b.arrival = e.arrival
               and b.revision = 0
              left join {prefix}ledger l
                on l.consumer_id = e.consumer_id
               and l.source_id = coalesce(e.source_id, b.source_id)
               and l.id = coalesce(e.id, b.id)
               and l.arrival = e.arrival
            """;

    private static String of(String state) {
        return """
                           (select w.arrival
                              from {prefix}entry w
                             where w.consumer_id = ?
                               and w.state = '@'
                             order by w.arrival
                             limit ?)
            """.replace("@", state);
    }

    /** Counts what a page shows. */
    static String counting(String page) {
        return page.replace("select r.*\n", "select count(*) as matching\n  from (\nselect r.arrival\n") + ") c\n";
    }

    static final String INSERT_OPERATION = """
            insert into {prefix}operation (operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, asked, done,
                   arrivals, verdicts, states)
            values (?, ?, ?, ?, ?, ?, ?, {now}, 0, 0, ?, '', '')
            """;

    /** Parked by somebody. An error of its own is kept; where there is none, it says who it was. */
    static String setAside(String reason) {
        return """
                update {prefix}entry
                   set state = 'PARKED',
                       reason = '@',
                       due_at = null,
                       error_kind = coalesce(error_kind, 'PARK'),
                       error_class = coalesce(error_class, '@'),
                       error = coalesce(error, ?),
                       changed_at = {now}
                 where consumer_id = ?
                   and state = ?
                   and arrival = any (?)
                """.replace("@", reason);
    }

    /** Another payload under the same everything. */
    static String revised(String bytes) {
        return """
                insert into {prefix}body (arrival, revision, event_version, consumer_id, source_id, id, event_type, message_key,
                       headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id, original, variant,
                       received_at, cause)
                select b.arrival, b.revision + 1, b.event_version, b.consumer_id, b.source_id, b.id, b.event_type, b.message_key,
                       b.headers, cast(? as @), cast(? as varchar), b.sent_at, b.channel, b.partition_no, b.offset_no, b.full_id,
                       b.original, b.variant, b.received_at, b.cause
                  from {prefix}body b
                 where b.arrival = ?
                   and b.revision = (select max(r.revision) from {prefix}body r where r.arrival = b.arrival)
                """.replace("@", bytes);
    }
}
