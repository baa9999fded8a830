// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** What people look at, and what they do. */
enum AdminStatement implements SqlStatement {
    FIND_CONSUMERS("""
            select name
              from {prefix}consumer
             where not alias
             order by name
            """),

    /** Everything about one message, finished or not. */
    FIND_MESSAGE(AdminTexts.PINNED + """
            select l.arrival, l.received_at, o.settled_at, o.attempts as settled_attempts, l.id,
            """ + AdminTexts.COLUMNS + """
              from {prefix}ledger l
              left join {prefix}source s
                on s.source_id = l.source_id
              left join {prefix}entry e
                on e.consumer_id = l.consumer_id
               and e.arrival = l.arrival
               and e.state in {states}
              left join {prefix}envelope b
                on b.arrival = l.arrival
               and b.revision = 0
              left join {prefix}key k
                on k.key_id = e.key_id
              left join {prefix}outcome o
                on o.arrival = l.arrival
              left join {prefix}lease h
                on h.consumer_id = e.consumer_id
               and {leased}
             where l.consumer_id = ?
               and l.source_id = coalesce((select n.source_id from {prefix}source n where n.name = ?), ?)
               and l.id = ?
            """),

    /** What a message brought: the only look at a payload, for whoever has left a reason. */
    FIND_PAYLOAD(AdminTexts.BOUNDED + """
            select revision, event_type, event_version, headers, payload, content_type
              from {prefix}body
             where arrival = ?
               and (cast(? as bigint) is null or revision = cast(? as bigint))
             order by revision desc
             limit 1
            """),

    /** The numbers that belong to an id: its own and those of conflicting payloads. */
    FIND_ARRIVALS(AdminTexts.PINNED + """
            select l.arrival
              from {prefix}source s
              join {prefix}ledger l
                on l.source_id = s.source_id
             where s.name = ?
               and l.consumer_id = ?
               and l.id = ?
             union all
            select b.arrival
              from {prefix}source s
              join {prefix}ledger l
                on l.source_id = s.source_id
              join {prefix}envelope b
                on b.original = l.arrival
             where s.name = ?
               and l.consumer_id = ?
               and l.id = ?
            """),

    /** The same of every source. A lookup for each, and never along all the ids of the consumer, whatever the planner thinks. */
    FIND_ARRIVALS_ANYWHERE(AdminTexts.PINNED + """
            select l.arrival
              from {prefix}source s
             cross join lateral (
                   select w.arrival
                     from {prefix}ledger w
                    where w.consumer_id = ?
                      and w.source_id = s.source_id
                      and w.id = ?
                    limit 1) l
             union all
            select b.arrival
              from {prefix}source s
             cross join lateral (
                   select w.arrival
                     from {prefix}ledger w
                    where w.consumer_id = ?
                      and w.source_id = s.source_id
                      and w.id = ?
                    limit 1) l
              join {prefix}envelope b
                on b.original = l.arrival
            """, """
            select l.arrival
              from {prefix}ledger l
             where l.consumer_id = ?
               and l.id = ?
             union all
            select b.arrival
              from {prefix}ledger l
              join {prefix}envelope b
                on b.original = l.arrival
             where l.consumer_id = ?
               and l.id = ?
            """),

    /** A page: along the key of the entries, so that it costs its own length and not that of the list. */
    LOOK(AdminTexts.page(AdminTexts.FROM), AdminTexts.pageInH2()),

    /** A page of a key. */
    LOOK_KEY(AdminTexts.page(AdminTexts.FROM_KEY), AdminTexts.pageInH2()),

    /** Counts what a page of that length would show. */
    COUNT(AdminTexts.counting(AdminTexts.page(AdminTexts.FROM)), AdminTexts.counting(AdminTexts.pageInH2())),

    /** Counts what a page of a key would show. */
    COUNT_KEY(AdminTexts.counting(AdminTexts.page(AdminTexts.FROM_KEY)), AdminTexts.counting(AdminTexts.pageInH2())),

    /** What went wrong, by its group, with what people know about it. */
    FIND_GROUPS(AdminTexts.GROUPS, AdminTexts.GROUPS_IN_H2),

    WRITE_NOTE("""
            insert into {prefix}note as n (consumer_id, failure_group, note, by_whom, noted_at)
            values (?, ?, ?, ?, {now})
                on conflict (consumer_id, failure_group)
                do update set note = excluded.note,
                   by_whom = excluded.by_whom,
                   noted_at = excluded.noted_at
            """, """
             merge into {prefix}note (consumer_id, failure_group, note, by_whom, noted_at)
               key (consumer_id, failure_group)
            values (?, ?, ?, ?, {now})
            """),

    /** How many are to be handled, state by state along the key of the entries, and when the first of them was received. */
    FIND_WAITING(AdminTexts.PINNED + AdminTexts.WAITING),

    /** Its place among the messages of its key, how far those have come, and which replay has to let it go. */
    FIND_TURN(AdminTexts.PINNED + """
            select e.key_id, e.sequence_no, p.reached, e.generation, e.owner = 'REPLAY' and e.state = 'WAITING' as held, c.campaign_id, c.state
              from {prefix}entry e
              left join {prefix}sequence p
                on p.key_id = e.key_id
               and p.generation = e.generation
              left join {prefix}campaign c
                on c.consumer_id = e.consumer_id
               and c.generation = e.generation
               and e.owner = 'REPLAY'
             where e.consumer_id = ?
               and e.state in {states}
               and e.arrival = ?
            """),

    /** Whom a message waits for: who is due or worked on, else the first one before it that holds the key. */
    FIND_AHEAD(AdminTexts.PINNED + AdminTexts.UNFINISHED + """
             where e.consumer_id = ?
               and e.key_id = ?
               and e.arrival <> ?
               and e.state = any (?)
               and (e.state in ('RECEIVED', 'FAILED_RETRYABLE')
                    or e.sequence_no < cast(? as bigint)
                    or (coalesce(e.sequence_no = cast(? as bigint), true) and e.arrival < ?))
             order by case when e.state in ('RECEIVED', 'FAILED_RETRYABLE') then 0 else 1 end, e.sequence_no nulls first, e.arrival
             limit 1
            """),

    FIND_ATTEMPTS("""
            select number, node, started_at, ended_at, outcome, error_kind, error_class, sql_state, error, stack_trace,
                   trace_id
              from {prefix}attempt
             where arrival = ?
             order by number desc
             limit ?
            """),

    FIND_OPERATIONS(AdminTexts.BOUNDED + """
            select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
              from {prefix}operation
             where consumer_id = ?
               and arrivals @> array[cast(? as bigint)]
             order by given_at desc
             limit ?
            """, """
            select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
              from {prefix}operation
             where consumer_id = ?
               and array_contains(arrivals, cast(? as bigint))
             order by given_at desc
             limit ?
            """),

    FIND_OPERATION("""
            select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
              from {prefix}operation
             where operation_id = ?
            """),

    /** Takes an operation id, in the transaction that does it; whoever else wants it waits. */
    INSERT_OPERATION(AdminTexts.INSERT_OPERATION + """
                on conflict do nothing
            """, AdminTexts.INSERT_OPERATION),

    /** What was done by an operation that was just taken. */
    FINISH_OPERATION("""
            update {prefix}operation
               set asked = ?,
                   done = ?,
                   arrivals = ?,
                   verdicts = ?,
                   states = ?,
                   number = ?,
                   seal_key = ?,
                   seal = ?
             where operation_id = ?
            """),

    /** The end of the trail, for whoever writes the next operation. */
    LOCK_TRAIL("""
            select number, seal
              from {prefix}audit_head
               for update
            """),

    EXTEND_TRAIL("""
            update {prefix}audit_head
               set number = ?,
                   seal = ?
             where number = ?
            """),

    FIND_TRAIL("""
            select number, seal
              from {prefix}audit_head
            """),

    /** Operations in their order; those that nobody sealed have no number, or none from 1 on, and are counted below. */
    READ_TRAIL("""
            select o.operation_id, o.kind, o.consumer_id, o.by_whom, o.role, o.reason, o.filter, o.given_at, o.asked, o.done, o.arrivals,
                   o.verdicts, o.states, o.number, o.seal_key, o.seal, c.name as consumer
              from {prefix}operation o
              left join {prefix}consumer c on c.consumer_id = o.consumer_id and not c.alias
             where o.number > ?
             order by o.number
             limit ?
            """),

    COUNT_UNSEALED("""
            select count(*) as unsealed
              from {prefix}operation
             where number is null
                or number < 1
            """),

    /** Entries and their keys, as they are; nothing is locked. */
    FIND_ENTRIES("""
            select arrival, key_id
              from {prefix}entry
             where consumer_id = ?
               and state in {states}
               and arrival = any (?)
            """),

    /** Entries that nobody holds, locked, as they are now; behind the gate it sees every lease. */
    PICK("""
            select e.arrival, e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
                   e.changed_at, e.key_id, e.sequence_no, e.generation,
                   exists (select 1 from {prefix}envelope b where b.arrival = e.arrival) as kept,
                   exists (select 1 from {prefix}lease h where h.consumer_id = e.consumer_id and {leased}) as leased
              from {prefix}entry e
             where e.consumer_id = ?
               and e.state in {states}
               and e.arrival = any (?)
             order by e.arrival
               for update skip locked
            """),

    /**
     * Due now, or behind whoever is in front in its key. The attempts before do not count any more, but their numbers are
     * not used again. What ended processes stays suspect: it runs alone, and once more parks it.
     */
    REDRIVE_ENTRIES("""
            update {prefix}entry
               set state = case when key_id is null then 'FAILED_RETRYABLE' else 'WAITING' end,
                   owner = 'INBOX',
                   reason = 'REDRIVEN',
                   forgiven = coalesce(forgiven, 0) + failures + crashes - least(crashes, 2),
                   failures = 0,
                   crashes = least(crashes, 2),
                   due_at = case when key_id is null then cast({now} as {time}) end,
                   changed_at = {now}
             where consumer_id = ?
               and state = ?
               and arrival = any (?)
            """),

    PARK_ENTRIES(AdminTexts.setAside("OPERATOR")),

    DISCARD_ENTRIES("""
            update {prefix}entry
               set state = 'DISCARDED',
                   reason = 'OPERATOR',
                   due_at = null,
                   changed_at = {now}
             where consumer_id = ?
               and state = ?
               and arrival = any (?)
            """),

    RESTORE_ENTRIES(AdminTexts.setAside("RESTORED")),

    /** Where it was; whoever saw it before sees that it changed. */
    EDIT_ENTRIES("""
            update {prefix}entry
               set changed_at = {now}
             where consumer_id = ?
               and state = ?
               and arrival = any (?)
            """),

    /** Everything but the payload is as it came. */
    REVISE_BODY(AdminTexts.revised("bytea"), AdminTexts.revised("varbinary"));

    private final Template template;

    AdminStatement(String standard) {
        this(standard, standard.replace(AdminTexts.PINNED, "").replace(AdminTexts.BOUNDED, ""));
    }

    AdminStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
