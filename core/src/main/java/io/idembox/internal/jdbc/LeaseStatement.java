// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Claiming entries, working on them under a lease, and taking leases away. */
enum LeaseStatement implements SqlStatement {
    /**
     * The claim, PostgreSQL: one round trip. The consumer's row is the gate: claims of one consumer come one after another,
     * and the statement behind the gate sees every lease that was committed before. So an entry under a lease is never
     * claimed again, and the entries themselves are not touched. Leases are numbered behind the gate, so those below the
     * oldest one that a claim found are gone for good, and the next claim need not step over what is left of them. The plan is pinned to the indexes, because a cached plan
     * that was made for a few entries would read a million of them. An entry that runs alone takes the place of a batch, so that nothing
     * is claimed that no worker is free for. Nothing is claimed when the number belongs to another consumer, which is possible after the database went back in time. The commit need not be durable: a lease that is lost
     * with the server fences whoever worked under it. It has to be where the work cannot be undone.
     */
    CLAIM("""
            set transaction isolation level read committed;
            select set_config('lock_timeout', ?, true),
                   set_config('enable_seqscan', 'off', true),
                   set_config('jit', 'off', true),
                   set_config('enable_bitmapscan', 'off', true),
                   set_config('synchronous_commit',
                              case when cast(? as boolean) then current_setting('synchronous_commit') else 'off' end, true);
            select consumer_id from {prefix}consumer where consumer_id = ? and not alias for update;
            with open as materialized (
                 select 1
                   from {prefix}consumer c
                  where c.consumer_id = ?
                    and c.name = ?
                    and not c.alias
                    and c.paused_at is null),
            leased as materialized (
                 select l.number, l.alone, unnest(l.arrivals) as arrival
                   from {prefix}lease l
                  where l.consumer_id = ?
                    and l.number >= ?),
            due as materialized (
                 select e.arrival
                   from {prefix}entry e
                  where e.consumer_id = ?
                    and e.due_at is not null
                    and e.due_at <= (select {now})
                    and e.crashes < 2
                    and e.arrival not in (select arrival from leased)
                  order by e.due_at
                  limit ?),
            fresh as materialized (
                 select e.arrival
                   from {prefix}entry e
                  where e.consumer_id = ?
                    and e.state = 'RECEIVED'
                    and e.arrival >= ?
                    and e.owner = 'INBOX'
                    and e.arrival not in (select arrival from leased)
                  order by e.arrival
                  limit ?),
            suspect as materialized (
                 select e.arrival
                   from {prefix}entry e
                  where e.consumer_id = ?
                    and e.due_at is not null
                    and e.due_at <= (select {now})
                    and e.crashes >= 2
                    and e.arrival not in (select arrival from leased)
                    and not exists (select 1 from leased l where l.alone)
                    and exists (select 1 from open)
                  order by e.due_at
                  limit 1),
            chosen as (
                 select a.arrival, (row_number() over (order by a.arrival) - 1) / ? as batch
                   from (select arrival from due union all select arrival from fresh
                          limit ? - ? * (select count(*) from suspect)) a
                  where exists (select 1 from open))
            insert into {prefix}lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)
            select n.token, nextval('{prefix}lease_number'), cast(? as int), {now}, {due}, n.alone, cast(? as varchar),
                   n.arrivals
              from (select (cast(? as uuid[]))[c.batch + 1] as token, false as alone,
                           array_agg(c.arrival order by c.arrival) as arrivals
                      from chosen c
                     group by c.batch
                    union all
                    select cast(? as uuid), true, array[s.arrival]
                      from suspect s) n
            returning token, alone, arrivals, least(number, (select min(number) from leased)) as oldest;
            commit
            """, null),

    /** The gate of a consumer's claims, for whoever does not claim but has to know what is claimed. */
    GATE("""
            select paused_at
              from {prefix}consumer
             where consumer_id = ?
               and not alias
               for update
            """),

    /** What is under the leases of a consumer; H2, behind the gate. */
    FIND_LEASED(Texts.NOT_NEEDED, """
            select arrivals, alone
              from {prefix}lease
             where consumer_id = ?
            """),

    /** H2: those that run alone first, due ones, then new ones; what is under a lease is sorted out by the caller. */
    FIND_DUE(Texts.NOT_NEEDED, """
            select arrival, crashes
              from {prefix}entry
             where consumer_id = ?
               and owner = 'INBOX'
               and (state = 'FAILED_RETRYABLE' and due_at <= {now} or state = 'RECEIVED')
             order by case when crashes < 2 then 1 else 0 end, due_at nulls last, arrival
            """),

    INSERT_LEASE("""
            insert into {prefix}lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)
            values (?, nextval('{prefix}lease_number'), ?, {now}, {due}, ?, ?, ?)
            """, """
            insert into {prefix}lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)
            values (?, next value for {prefix}lease_number, ?, {now}, {due}, ?, ?, ?)
            """),

    /**
     * The entries of a lease with their messages, if it is there still; of a body that was edited, the newest revision. The plan
     * is pinned to the indexes: one that was made on the first day, for a few messages, would read all of them later. Each entry is
     * looked up by itself, state by state: with lists of both, PostgreSQL 15 and 16 read all entries of the consumer as long as
     * nothing was analysed.
     */
    LOAD(
            Texts.LOAD_BY_INDEX + Texts.LOADED + """
              from unnest(cast(? as bigint[])) as l(arrival)
             cross join unnest(array['RECEIVED', 'FAILED_RETRYABLE']) as t(state)
             cross join lateral (
                   select *
                     from {prefix}entry r
                    where r.consumer_id = ?
                      and r.state = t.state
                      and r.arrival = l.arrival
                   offset 0) e
            """ + Texts.NEWEST_BODY_IF_ANY + """
             where exists (select 1 from {prefix}lease h where h.token = ?)
             order by e.arrival;
            commit
            """,
            Texts.LOADED + """
              from {prefix}entry e
            """ + Texts.NEWEST_BODY_IF_ANY_H2 + """
             where e.consumer_id = ?
               and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
               and e.arrival = any (?)
               and exists (select 1 from {prefix}lease h where h.token = ?)
             order by e.arrival
            """),

    /** The same for a lease that has been extended: those who wait behind others wait still. */
    LOAD_EXTENDED(Texts.LOAD_BY_INDEX + Texts.LOADED + """
              from unnest(cast(? as bigint[])) as l(arrival)
             cross join unnest(array['RECEIVED', 'FAILED_RETRYABLE', 'WAITING']) as t(state)
             cross join lateral (
                   select *
                     from {prefix}entry r
                    where r.consumer_id = ?
                      and r.state = t.state
                      and r.arrival = l.arrival
                   offset 0) e
            """ + Texts.NEWEST_BODY_IF_ANY + """
             where exists (select 1 from {prefix}lease h where h.token = ?)
             order by e.arrival;
            commit
            """, null),

    /**
     * Extends a lease to those that wait directly behind its entries in their keys; what is parked in between holds those behind
     * it. The first ones of all keys come before the second ones. Behind the gate, as every claim: so no command touches them,
     * and nobody else has one of them. The bundle ends with its commit and says little, so that a client that stands still
     * cannot hold the gate; what it is about is loaded after that. Not durable, as the claim is not. H2 looks for them key by
     * key.
     */
    EXTEND_LEASE("""
            set transaction isolation level read committed;
            select set_config('lock_timeout', ?, true),
                   set_config('synchronous_commit', 'off', true);
            """ + Texts.LOAD_BY_INDEX + """
            select consumer_id from {prefix}consumer where consumer_id = ? and not alias for update;
            with wanted as materialized (
                 select cast(? as int) as consumer_id, cast(? as uuid) as token, cast(? as text[]) as standing,
                        cast(? as int) as followers),
            leased as materialized (
                 select unnest(l.arrivals) as arrival
                   from {prefix}lease l
                   join wanted n
                     on l.consumer_id = n.consumer_id),
            head as materialized (
                 select h.arrival, h.key_id, n.standing, n.followers
                   from wanted n
                   join {prefix}lease l
                     on l.token = n.token
                  cross join unnest(l.arrivals) as a(arrival)
                  cross join unnest(array['RECEIVED', 'FAILED_RETRYABLE']) as t(state)
                  cross join lateral (
                        select r.arrival, r.key_id
                          from {prefix}entry r
                         where r.consumer_id = n.consumer_id
                           and r.state = t.state
                           and r.arrival = a.arrival
                        offset 0) h),
            behind as materialized (
                 select f.arrival
                   from head h
                  cross join lateral (
                        select w.arrival, row_number() over (order by w.arrival) as nth
                          from {prefix}entry w
                         where w.key_id = h.key_id
                           and w.state = 'WAITING'
                           and w.sequence_no is null
                           and w.arrival > h.arrival
                           and not exists (
                               select 1
                                 from {prefix}entry p
                                where p.key_id = h.key_id
                                  and p.arrival > h.arrival
                                  and p.arrival <= w.arrival
                                  and (p.state = any (h.standing) or p.arrival in (select arrival from leased)))
                         order by w.arrival
                         limit h.followers) f
                  order by f.nth, f.arrival
                  limit (select followers from wanted))
            update {prefix}lease l
               set arrivals = l.arrivals || array(select b.arrival from behind b order by b.arrival)
              from wanted n
             where l.token = n.token
            returning l.arrivals;
            commit
            """, Texts.LOADED + """
              from {prefix}entry e
            """ + Texts.NEWEST_BODY_IF_ANY_H2 + """
             where e.consumer_id = ?
               and e.key_id = ?
               and e.state = 'WAITING'
               and e.sequence_no is null
               and e.arrival > ?
               and e.arrival < coalesce((
                   select min(p.arrival)
                     from {prefix}entry p
                    where p.key_id = e.key_id
                      and p.state = any (?)
                      and p.arrival > ?), 9223372036854775807)
             order by e.arrival
             limit ?
            """),

    /** The fence: whoever deletes the lease did the work. */
    END_LEASE("""
            delete from {prefix}lease
             where token = ?
            """),

    /** The fence, when some of the entries are left. */
    SHRINK_LEASE("""
            update {prefix}lease
               set arrivals = ?
             where token = ?
            """),

    /** A lease that is being settled is locked; it needs no more time. */
    RENEW_LEASES("""
            with mine as materialized (
                 select token
                   from {prefix}lease
                  where token = any (?)
                    for update skip locked)
            update {prefix}lease l
               set lease_until = {due}
              from mine
             where l.token = mine.token
            returning l.token
            """, """
            update {prefix}lease
               set lease_until = {due}
             where token = ?
            """),

    /** Which of these leases there are. */
    FIND_LEASES("""
            select token, alone, arrivals
              from {prefix}lease
             where token = any (?)
            """, null),

    /** A failed entry of redelivery that is going to be handled under a lease: no other delivery takes it meanwhile. */
    HOLD_ENTRY("""
            update {prefix}entry
               set state = 'RECEIVED'
             where consumer_id = ?
               and state = 'FAILED_RETRYABLE'
               and arrival = ?
               and owner = 'REDELIVERY'
            """),

    /** What redelivery owns can be taken by the next delivery; what the inbox owns is where it was. */
    RELEASE_ENTRIES("""
            update {prefix}entry
               set state = case when owner = 'REDELIVERY' then 'FAILED_RETRYABLE' else state end,
                   releases = case when releases < 30000 then releases + 1 else releases end
             where consumer_id = ?
               and state in ('RECEIVED', 'FAILED_RETRYABLE')
               and arrival = any (?)
            """),

    /**
     * Whoever had these leases is gone, or too slow: one statement on the rows as they are now, safe on every node. Those who
     * waited behind others under the lease may have been the ones that ended the process: they are suspects when their turn
     * comes, and {@code changed_at} is since when they are due then. Outgoing messages wait for the confirmation of the one in
     * front, so for them a crash is counted only for the first of each key. A row that is read only for a report never blocks the expiry.
     */
    REAP("""
            with dead as materialized (
                 select token
                   from {prefix}lease
                  where consumer_id = ?
                    and lease_until < (select {now})
                    for update skip locked),
            gone as (
                 delete from {prefix}lease l
                  using dead
                  where l.token = dead.token
                 returning l.consumer_id, l.node, l.claimed_at, l.arrivals),
            held as (
                 select g.consumer_id, g.node, g.claimed_at, u.arrival
                   from gone g
                  cross join lateral unnest(g.arrivals) as u(arrival)),
            crashed as (
                 update {prefix}entry e
                    set crashes = e.crashes + 1,
                        state = case when e.crashes + 1 >= 3 then 'PARKED' else 'FAILED_RETRYABLE' end,
                        reason = case when e.crashes + 1 >= 3 then 'CRASH' else 'LEASE_EXPIRED' end,
                        due_at = case when e.crashes + 1 < 3 and e.owner = 'INBOX' then {now} end,
                        error_kind = case when e.crashes + 1 >= 3 then 'PARK' else 'TRANSIENT' end,
                        error_class = 'LeaseExpired',
                        sql_state = null,
                        error = cast(? as text),
                        failure_group = null,
                        changed_at = {now}
                   from held h
                  where e.consumer_id = h.consumer_id
                    and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
                    and e.arrival = h.arrival
                 returning e.arrival, e.key_id, e.sequence_no, e.generation, e.crashes,
                           coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases as number, e.state,
                           e.error_kind, e.error, h.node, h.claimed_at, e.changed_at),
            behind as (
                 update {prefix}entry e
                    set crashes = least(e.crashes + 1, 2),
                        changed_at = {now}
                   from held h
                  where cast(? as boolean)
                    and e.consumer_id = h.consumer_id
                    and e.state = 'WAITING'
                    and e.arrival = h.arrival),
            told as (
                 insert into {prefix}attempt (arrival, number, node, started_at, ended_at, outcome, error_kind, error_class,
                        error)
                 select arrival, number, node, claimed_at, changed_at, state, error_kind, 'LeaseExpired', error
                   from crashed
                     on conflict do nothing)
            select arrival, crashes, state, key_id, sequence_no, generation
              from crashed
             order by arrival
            """, null),

    /** The ids of these messages, if their bodies are kept. */
    FIND_IDS("""
            select b.arrival, s.name as source, b.id, b.full_id
              from {prefix}body b
              join {prefix}source s
                on s.source_id = b.source_id
             where b.arrival = any (?)
               and b.revision = 0
            """),

    /** Messages that were parked in this transaction, if their bodies are kept. */
    LOAD_PARKED(Texts.LOADED + """
              from {prefix}entry e
            """ + Texts.NEWEST_BODY + """
             where e.consumer_id = ?
               and e.state = 'PARKED'
               and e.arrival = any (?)
             order by e.arrival
            """, Texts.LOADED + """
              from {prefix}entry e
            """ + Texts.NEWEST_BODY_H2 + """
             where e.consumer_id = ?
               and e.state = 'PARKED'
               and e.arrival = any (?)
             order by e.arrival
            """),

    FIND_EXPIRED(Texts.NOT_NEEDED, """
            select token, node, claimed_at, arrivals
              from {prefix}lease
             where consumer_id = ?
               and lease_until < {now}
               for update
            """),

    CRASH_ENTRY(Texts.NOT_NEEDED, """
            update {prefix}entry
               set crashes = crashes + 1,
                   state = case when crashes + 1 >= 3 then 'PARKED' else 'FAILED_RETRYABLE' end,
                   reason = case when crashes + 1 >= 3 then 'CRASH' else 'LEASE_EXPIRED' end,
                   due_at = case when crashes + 1 < 3 and owner = 'INBOX' then cast({now} as timestamp(6) with time zone) end,
                   error_kind = case when crashes + 1 >= 3 then 'PARK' else 'TRANSIENT' end,
                   error_class = 'LeaseExpired',
                   sql_state = null,
                   error = ?,
                   failure_group = null,
                   changed_at = {now}
             where consumer_id = ?
               and state in ('RECEIVED', 'FAILED_RETRYABLE')
               and arrival = ?
            """),

    /** One that waited behind others under the lease; H2. */
    SUSPECT_ENTRY(Texts.NOT_NEEDED, """
            update {prefix}entry
               set crashes = least(crashes + 1, 2),
                   changed_at = {now}
             where consumer_id = ?
               and state = 'WAITING'
               and arrival = ?
            """),

    FIND_CRASHED(Texts.NOT_NEEDED, """
            select crashes, coalesce(forgiven, 0) + failures + crashes + releases as number, state, key_id, sequence_no,
                   generation
              from {prefix}entry
             where consumer_id = ?
               and state in {states}
               and arrival = ?
            """);

    private final Template template;

    LeaseStatement(String standard) {
        this(standard, standard);
    }

    LeaseStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
