// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Writing what is sent, in the transaction of whoever sends it. */
enum OutgoingStatement implements SqlStatement {
    /**
     * Sending, PostgreSQL: one round trip. First the keys are locked, in the order of their names on every node; then, in a
     * statement of its own that sees what was committed before, numbers are given out and everything is written. So among the
     * messages of a key the numbers are in the order of the commits. Each key is looked up by itself: joined, a plan that was
     * made before anything was analysed reads all keys of the destination for every message. The first unfinished one of a key may go, the others wait.
     * In a transaction of the inbox the waits are bounded; in one of the application they are bounded by its own settings.
     */
    SEND(
            Texts.ALONG_THE_KEYS + Texts.BOUND_THE_WAIT_IF_ANY + Texts.INSERT_OR_LOCK_KEYS + Texts.sentBodies() + """
            ,
            placed as (
                 select q.arrival, q.consumer_id, q.key_id,
                        row_number() over (partition by q.key_id order by q.arrival) as nth
                   from (select l.arrival, l.consumer_id,
                                case when cast(? as boolean)
                                     then (select k.key_id
                                             from {prefix}key k
                                            where k.consumer_id = l.consumer_id
                                              and k.name = m.message_key)
                                end as key_id
                           from l
                           join m on m.slot = l.arrival % 2048) q),
            e as (
                 insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id)
                 select p.arrival, p.consumer_id, 0, 0, 0,
                        case when p.key_id is null then 'RECEIVED'
                             when p.nth = 1 and (select f.arrival
                                                   from {prefix}entry f
                                                  where f.key_id = p.key_id
                                                    and f.state = any (?)
                                                  order by f.sequence_no nulls first, f.arrival
                                                  limit 1) is null then 'RECEIVED'
                             else 'WAITING'
                        end,
                        'INBOX', p.key_id
                   from placed p
                  order by p.arrival)
            select arrival from l;
            """
                    + Texts.UNBOUND_THE_WAIT
                    + Texts.AS_BEFORE + ";\n" + Texts.KNOWN,
            null),

    /** Whose handler sent it; H2. */
    SET_CAUSE(Texts.NOT_NEEDED, """
            update {prefix}body
               set cause = ?
             where arrival = ?
            """),

    /** What was sent for some messages to a destination. */
    FIND_SENT("""
            select b.arrival, b.message_key
              from {prefix}body b
             where b.cause = any (?)
               and b.consumer_id = ?
               and b.revision = 0
             order by b.arrival
            """),

    /** Its mark, unless it is about to be forgotten: whoever forgets has looked before it is locked here. */
    LOCK_SENT("""
            select l.arrival
              from {prefix}body b
              join {prefix}ledger l
                on l.consumer_id = b.consumer_id
               and l.source_id = b.source_id
               and l.id = b.id
               and l.arrival = b.arrival
              join {prefix}outcome o
                on o.arrival = l.arrival
             where b.arrival = ?
               and b.revision = 0
               and o.settled_at > (select {before})
               for update of l
            """, """
            select l.arrival
              from {prefix}ledger l
             where (l.consumer_id, l.source_id, l.id, l.arrival) in (
                   select b.consumer_id, b.source_id, b.id, b.arrival
                     from {prefix}body b
                     join {prefix}outcome o
                       on o.arrival = b.arrival
                    where b.arrival = ?
                      and b.revision = 0
                      and o.settled_at > {before})
               for update
            """),

    /**
     * Unfinished again, unless it is: a statement of its own, behind the lock of the mark. Numbers of earlier attempts are not
     * used again.
     */
    RESEND("""
            insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, forgiven)
            select cast(? as bigint), cast(? as int), 0, 0, 0, cast(? as varchar), 'INBOX', cast(? as bigint),
                   (select max(a.number) from {prefix}attempt a where a.arrival = ?)
             where not exists (
                   select 1
                     from {prefix}entry e
                    where e.consumer_id = ?
                      and e.state in {states}
                      and e.arrival = ?)
            """),

    /** It is not finished any more. */
    FORGET_SENT("""
            delete from {prefix}outcome
             where arrival = ?
            """),

    /**
     * When an intent was first tried, and how the last try ended; nothing when it never was. What could not be read, or was
     * not tried because its key was too old, is no try. To ask the provider is none either, but leaves the doubt. Whoever redrove it knew
     * of the doubt if that is what it was parked for.
     */
    FIND_TRIES("""
            select cast({now} as {time}) as looked_at, t.*,
                   exists (select 1
                             from {prefix}entry e
                            where e.consumer_id = ?
                              and e.state = 'FAILED_RETRYABLE'
                              and e.arrival = ?
                              and e.reason = 'REDRIVEN')
                   and exists (select 1
                                 from {prefix}attempt p
                                where p.arrival = ?
                                  and p.outcome = 'PARKED'
                                  and p.error_class = 'UNKNOWN'
                                  and p.number = (select max(n.number) from {prefix}attempt n where n.arrival = p.arrival)) as redriven
              from (select a.number, a.error_class,
                           min(a.started_at) over () as first_tried,
                           max(case when a.error_class <> 'STILL_UNKNOWN' then a.ended_at end) over () as last_ended,
                           min(case when a.error_class in ('UNKNOWN', 'LeaseExpired') then a.started_at end) over () as first_in_doubt
                      from {prefix}attempt a
                     where a.arrival = ?
                       and a.error_kind <> 'UNREADABLE'
                       and a.error_class <> 'KEY_EXPIRED') t
             order by t.number desc
             limit 1
            """);

    private final Template template;

    OutgoingStatement(String standard) {
        this(standard, standard);
    }

    OutgoingStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
