// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

/**
 * Handling settled messages again. On PostgreSQL only: others have no door that costs nothing while nobody replays.
 *
 * <p>Why not joins with entries and keys: how many there are is known to nobody in the transaction that wrote them, least of all to the
 * planner. Taken for a few, they were read anew for each message. As sub-selects each is a lookup, however many there are.
 */
enum ReplayStatement implements SqlStatement {
    /** For whoever may not read payloads. */
    COUNT_REPLAY("""
            select count(case when r.kept and not r.skipped and not r.unfinished then 1 end) as would_run,
                   count(case when r.unfinished then 1 end) as unfinished,
                   count(case when not r.kept and not r.skipped and not r.unfinished then 1 end) as without_body,
                   count(case when r.skipped and not r.unfinished then 1 end) as skipped,
                   coalesce(sum(case when r.kept and not r.skipped and not r.unfinished
                                     then (select count(*) from {prefix}envelope c where c.cause = r.arrival and c.revision = 0) end), 0) as effects
              from (select m.arrival, m.kept, m.skipped, exists (
            """ + ReplayStatement.ENTRIES + """
                                      = 0) as unfinished
                      from (
            """ + ReplayStatement.MATCHING + """
                           ) m
                    offset 0) r   -- else each count looks for the entry by itself
            """),

    /** Nobody of the consumer is inside when this answers; see {@link Texts#DOOR}. */
    CLOSE_DOOR("select pg_advisory_xact_lock(" + Texts.DOOR + ")"),

    COUNT_AWAITED("""
            select count(*) as awaited
              from {prefix}entry
             where consumer_id = ?
               and state in ('RECEIVED', 'FAILED_RETRYABLE')
               and owner = 'REDELIVERY'
            """),

    /** Until the end of the transaction. */
    BOUND_WAITS("select set_config('lock_timeout', ?, true)"),

    /** What an earlier replay brought back is finished, discarded, or in the range of this one. */
    COUNT_LEFT_OUT("""
            select count(*) as left_out
              from {prefix}entry e
             where e.consumer_id = ?
               and e.generation > 0
               and e.state <> 'DISCARDED'
               and not
            """ + ReplayStatement.IN_RANGE),

    /** Inserts or locks them, in the order of their names as everybody does. */
    LOCK_REPLAYED_KEYS("""
            insert into {prefix}key as k (consumer_id, name, key_id)
            select ?, n.name, nextval('{prefix}key_number')
              from (select u.name
                      from (select m.message_key as name
                              from (
            """ + ReplayStatement.MATCHING + """
                                   ) m
                             where m.message_key is not null
                             union
                            select (select q.name from {prefix}key q where q.key_id = e.key_id)
                              from {prefix}entry e
                             where e.consumer_id = ?
                               and e.generation > 0
                               and e.key_id is not null) u
                     order by u.name collate "C") n
                on conflict (consumer_id, name) do update set name = k.name
            """),

    /** Behind the gate. Whoever is about to settle is waited for; whoever is not finds his lease gone. */
    TAKE_LEASES("""
            delete from {prefix}lease
             where consumer_id = ?
            """),

    /** A later replay takes the place of earlier ones. */
    WITHDRAW_EARLIER("""
            delete from {prefix}entry e
             where e.consumer_id = ?
               and e.generation > 0
               and
            """ + ReplayStatement.IN_RANGE),

    CANCEL_EARLIER("""
            update {prefix}campaign
               set state = 'CANCELLED',
                   note = 'A later replay took its place.',
                   changed_at = {now}
             where consumer_id = ?
               and generation is not null
               and state in ('RUNNING', 'STOPPED')
            """),

    /** A number that nothing has which is left of earlier ones: campaigns are people's to delete, and what they did stays. */
    NEXT_GENERATION("""
            select coalesce(max(u.generation), 0) + 1 as generation
              from (select max(c.generation) as generation
                      from {prefix}campaign c
                     where c.consumer_id = ?
                     union all
                    select max(e.generation)
                      from {prefix}entry e
                     where e.consumer_id = ?
                       and e.generation > 0
                     union all
                    select max(p.generation)
                      from {prefix}sequence p
                     where p.consumer_id = ?) u
            """),

    /** At most one entry for each message; numbers of earlier attempts are not used again. */
    BRING_BACK("""
            insert into {prefix}entry (arrival, consumer_id, generation, failures, crashes, releases, forgiven, state, owner, key_id,
                   original, reason)
            select m.arrival, m.consumer_id, cast(? as int), 0, 0, 0,
                   (select max(a.number) from {prefix}attempt a where a.arrival = m.arrival), 'WAITING', 'REPLAY',
                   case when cast(? as boolean) and m.original is null
                        then (select k.key_id from {prefix}key k where k.consumer_id = m.consumer_id and k.name = m.message_key)
                   end, m.original, 'REPLAY'
              from (
            """ + ReplayStatement.MATCHING + """
                   ) m
             where m.kept
               and not m.skipped
               and not exists (
            """ + ReplayStatement.ENTRIES + """
                          is not null)
             order by m.arrival
            """),

    READ_REPLAYED(Texts.LOADED + """
              from {prefix}entry e
            """ + Texts.NEWEST_BODY + """
             where e.consumer_id = ?
               and e.generation = ?
               and e.arrival > ?
             order by e.arrival
             limit ?
            """),

    PLACE_REPLAYED("""
            update {prefix}entry e
               set sequence_no = a.sequence_no
              from unnest(cast(? as bigint[]), cast(? as bigint[])) as a(arrival, sequence_no)
             where e.consumer_id = ?
               and e.state = 'WAITING'
               and e.arrival = a.arrival
               and e.generation = ?
            """),

    /** Whoever was next in a key waits behind what came before him; behind the gate, and nobody has a lease. */
    PUT_BEHIND("""
            update {prefix}entry e
               set state = 'WAITING',
                   due_at = null
             where e.consumer_id = ?
               and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
               and e.generation = 0
               and e.owner = 'INBOX'
               and (
                   select r.generation
                     from {prefix}entry r
                    where r.key_id = e.key_id
                      and r.generation = ?
                    limit 1) is not null
            """),

    /** What their steps wrote may have been wiped out. */
    REPEAT_STEPS("""
            delete from {prefix}step s
             using {prefix}entry e
             where e.consumer_id = ?
               and s.arrival = e.arrival
               and
            """ + ReplayStatement.IN_RANGE),

    BEGIN_REPLAY("""
            update {prefix}campaign
               set generation = ?,
                   total = ?,
                   steps = ?
             where campaign_id = ?
            """),

    FIND_HELD("""
            select arrival
              from {prefix}entry
             where consumer_id = ?
               and generation = ?
               and owner = 'REPLAY'
               and state = 'WAITING'
             order by arrival
             limit ?
            """),

    LET_GO("""
            update {prefix}entry
               set owner = 'INBOX',
                   state = case when key_id is null then 'RECEIVED' else state end
             where consumer_id = ?
               and state = 'WAITING'
               and arrival = any (?)
               and generation = ?
               and owner = 'REPLAY'
            returning arrival, key_id
            """),

    WITHDRAW_HELD("""
            delete from {prefix}entry
             where consumer_id = ?
               and generation = ?
               and owner = 'REPLAY'
               and state = 'WAITING'
            returning arrival, key_id
            """),

    COUNT_LEFT("""
            select count(*) as unfinished
              from {prefix}entry
             where consumer_id = ?
               and generation = ?
               and state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE')
            """),

    /** Of this replay and earlier ones, but for keys in which something of them is not finished: that has a place still. */
    FORGET_POSITIONS("""
            delete from {prefix}sequence p
             where p.consumer_id = ?
               and p.generation between 1 and ?
               and (
                   select e.generation
                     from {prefix}entry e
                    where e.key_id = p.key_id
                      and e.generation = p.generation
                    limit 1) is null
            """);

    /** What is not asked for is true when it is planned: compared with itself it would be taken for one row in two hundred. */
    private static final String TYPE_AND_KEY = """
               and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
               and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
            """;

    /**
     * Messages with a mark, and conflicting payloads that were handled: those have no mark of their own, and no place in the order.
     * A second mark, under the id of an older identity strategy, is no message. Whoever was settled without being run, because his
     * key was past his place, is skipped again: in a replay nobody else would be. Bound as {@code PostgresReplayStore} does.
     */
    private static final String MATCHING = """
            select l.arrival, l.consumer_id, b.message_key, b.arrival is not null as kept, cast(null as bigint) as original,
                   coalesce((select o.attempts from {prefix}outcome o where o.arrival = l.arrival) = 0, false) as skipped
              from {prefix}ledger l
              left join {prefix}envelope b
                on b.arrival = l.arrival
               and b.revision = 0
             where l.consumer_id = ?
               and l.received_at >= coalesce(cast(? as timestamptz), '-infinity')
               and l.received_at < coalesce(cast(? as timestamptz), 'infinity')
            """ + TYPE_AND_KEY + """
               and (l.arrival % 2 = 0 or not exists (
                   select 1
                     from {prefix}envelope w
                    where w.arrival = l.arrival - 1
                      and w.revision = 0
                      and w.consumer_id = l.consumer_id))
             union all
            select b.arrival, b.consumer_id, b.message_key, true, b.original, false
              from {prefix}envelope b
              join {prefix}outcome o
                on o.arrival = b.arrival
             where b.consumer_id = ?
               and b.original is not null
               and b.revision = 0
               and b.received_at >= coalesce(cast(? as timestamptz), '-infinity')
               and b.received_at < coalesce(cast(? as timestamptz), 'infinity')
            """ + TYPE_AND_KEY;

    /** Whether the message of entry e is in the range. Bound as {@code PostgresReplayStore} does. */
    private static final String IN_RANGE = """
                   exists (
                   select 1
                     from (values (1)) as one (row)
                     left join {prefix}envelope b
                       on b.arrival = e.arrival
                      and b.revision = 0
                    cross join lateral (
                          select coalesce(b.received_at, (
                                 select l.received_at
                                   from {prefix}ledger l
                                  where l.consumer_id = e.consumer_id
                                    and l.source_id = coalesce(b.source_id, e.source_id)
                                    and l.id = coalesce(b.id, e.id))) as received_at
                          offset 0) t   -- looked up once
                    where t.received_at >= coalesce(cast(? as timestamptz), '-infinity')
                      and t.received_at < coalesce(cast(? as timestamptz), 'infinity')
            """ + TYPE_AND_KEY + """
                   )
            """;

    /** The generation of the entry that message m may have; of each state by itself, so that each is looked up. */
    private static final String ENTRIES = """
                   select 1
                     from (values ('RECEIVED'), ('WAITING'), ('FAILED_RETRYABLE'), ('FAILED_TERMINAL'), ('PARKED'), ('DISCARDED'))
                          as s (state)
                    where (
                          select e.generation
                            from {prefix}entry e
                           where e.consumer_id = m.consumer_id
                             and e.state = s.state
                             and e.arrival = m.arrival)
            """;

    private final Template template;

    ReplayStatement(String postgresql) {
        this.template = new Template(postgresql, null);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
