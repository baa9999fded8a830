-- INSERT_MARKS
set transaction isolation level read committed;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true),
       pg_advisory_xact_lock_shared((cast(cast(cast('"app".idembox_ledger' as regclass) as oid) as bigint) << 32) | cast(? as bigint));
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
select (select nextval('"app".idembox_arrival')) * 2048 + m.slot,
       (select coalesce(cast(? as timestamptz), clock_timestamp())),
       m.variant, ?, m.source_id, 'D', m.id
  from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]))
    as m(slot, source_id, id, variant)
    on conflict do nothing
returning arrival;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
savepoint idembox_batch;
select (select count(*)
          from "app".idembox_consumer c
         where c.name = ?
           and c.consumer_id = ?
           and not c.alias)
     + (select count(*)
          from unnest(cast(? as text[]), cast(? as int[])) as k(name, source_id)
         cross join lateral (
               select 1
                 from "app".idembox_source s
                where s.name = k.name
                  and s.source_id = k.source_id
                limit 1) s) as known

-- INSERT_ONE_MARK
set transaction isolation level read committed;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true),
       pg_advisory_xact_lock_shared((cast(cast(cast('"app".idembox_ledger' as regclass) as oid) as bigint) << 32) | cast(? as bigint));
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
values (nextval('"app".idembox_arrival') * 2048 + ?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, 'D', ?)
    on conflict do nothing
returning arrival;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
savepoint idembox_batch;
select (select count(*)
          from "app".idembox_consumer c
         where c.name = ?
           and c.consumer_id = ?
           and not c.alias)
     + (select count(*)
          from "app".idembox_source s
         where s.name = ?
           and s.source_id = ?) as known

-- INSERT_MARKS_AND_BODIES
set transaction isolation level read committed;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true),
       pg_advisory_xact_lock_shared((cast(cast(cast('"app".idembox_ledger' as regclass) as oid) as bigint) << 32) | cast(? as bigint));
with m as materialized (
     select *
       from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]),
                   cast(? as int[]), cast(? as text[]), cast(? as text[]), cast(? as bytea[]),
                   cast(? as bytea[]), cast(? as text[]), cast(? as timestamptz[]), cast(? as text[]),
                   cast(? as int[]), cast(? as bigint[]), cast(? as text[]))
         as m(slot, source_id, id, variant, event_version, event_type, message_key, headers, payload,
              content_type, sent_at, channel, partition_no, offset_no, full_id)),
l as (
     insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
     select (select nextval('"app".idembox_arrival')) * 2048 + m.slot,
            (select coalesce(cast(? as timestamptz), clock_timestamp())),
            m.variant, ?, m.source_id, 'D', m.id
       from m
         on conflict do nothing
     returning arrival, consumer_id),
b as (
     insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
            message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no,
            full_id)
     select l.arrival, 0, m.event_version, l.consumer_id, m.source_id, m.id, m.event_type,
            m.message_key, m.headers, m.payload, m.content_type, m.sent_at, m.channel, m.partition_no,
            m.offset_no, m.full_id
       from l
       join m on m.slot = l.arrival % 2048
      order by l.arrival)
select arrival from l;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
savepoint idembox_batch;
select (select count(*)
          from "app".idembox_consumer c
         where c.name = ?
           and c.consumer_id = ?
           and not c.alias)
     + (select count(*)
          from unnest(cast(? as text[]), cast(? as int[])) as k(name, source_id)
         cross join lateral (
               select 1
                 from "app".idembox_source s
                where s.name = k.name
                  and s.source_id = k.source_id
                limit 1) s) as known

-- INSERT_STORED
set transaction isolation level read committed;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true);
with m as materialized (
     select *
       from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]),
                   cast(? as int[]), cast(? as text[]), cast(? as text[]), cast(? as bytea[]),
                   cast(? as bytea[]), cast(? as text[]), cast(? as timestamptz[]), cast(? as text[]),
                   cast(? as int[]), cast(? as bigint[]), cast(? as text[]))
         as m(slot, source_id, id, variant, event_version, event_type, message_key, headers, payload,
              content_type, sent_at, channel, partition_no, offset_no, full_id)),
l as (
     insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
     select (select nextval('"app".idembox_arrival')) * 2048 + m.slot,
            (select coalesce(cast(? as timestamptz), clock_timestamp())),
            m.variant, ?, m.source_id, 'S', m.id
       from m
         on conflict do nothing
     returning arrival, consumer_id),
b as (
     insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
            message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no,
            full_id)
     select l.arrival, 0, m.event_version, l.consumer_id, m.source_id, m.id, m.event_type,
            m.message_key, m.headers, m.payload, m.content_type, m.sent_at, m.channel, m.partition_no,
            m.offset_no, m.full_id
       from l
       join m on m.slot = l.arrival % 2048
      order by l.arrival),
e as (
     insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner)
     select l.arrival, l.consumer_id, 0, 0, 0, 'RECEIVED', 'INBOX'
       from l
      where l.arrival % 2 = 0
      order by l.arrival)
select arrival from l;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
savepoint idembox_batch;
select (select count(*)
          from "app".idembox_consumer c
         where c.name = ?
           and c.consumer_id = ?
           and not c.alias)
     + (select count(*)
          from unnest(cast(? as text[]), cast(? as int[])) as k(name, source_id)
         cross join lateral (
               select 1
                 from "app".idembox_source s
                where s.name = k.name
                  and s.source_id = k.source_id
                limit 1) s) as known

-- INSERT_MARK
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
values (?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, ?, ?)
    on conflict do nothing

-- INSERT_RECEIVED
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner)
values (?, ?, 0, 0, 0, 'RECEIVED', 'INBOX')

-- NEXT_ARRIVAL
select nextval('"app".idembox_arrival') * 2048

-- NEXT_ARRIVAL_AND_KNOWN
select nextval('"app".idembox_arrival') * 2048 as arrival;
select (select count(*)
          from "app".idembox_consumer c
         where c.name = ?
           and c.consumer_id = ?
           and not c.alias)
     + (select count(*)
          from unnest(cast(? as text[]), cast(? as int[])) as k(name, source_id)
         cross join lateral (
               select 1
                 from "app".idembox_source s
                where s.name = k.name
                  and s.source_id = k.source_id
                limit 1) s) as known

-- BOUND_THE_WAIT
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true);

-- UNBOUND_THE_WAIT
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);

-- ENTER
select pg_advisory_xact_lock_shared((cast(cast(cast('"app".idembox_ledger' as regclass) as oid) as bigint) << 32) | cast(? as bigint))

-- FIND
select set_config('idembox.enable_seqscan', current_setting('enable_seqscan'), true),
       set_config('idembox.jit', current_setting('jit'), true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true);
select m.slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class, e.sql_state, e.error,
       o.result, o.result_type
  from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[])) as m(slot, source_id, id)
 cross join lateral (
      select k.arrival, k.variant, k.consumer_id
        from "app".idembox_ledger k
       where k.consumer_id = ?
         and k.source_id = m.source_id
         and k.id = m.id
       limit 1) l
  left join lateral (
       select r.state, r.owner, r.error_kind, r.error_class, r.sql_state, r.error
         from "app".idembox_entry r
        where r.consumer_id = l.consumer_id
          and r.arrival = l.arrival
          and r.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
          and r.generation = 0
        limit 1) e
    on true
  left join "app".idembox_outcome o
    on o.arrival = l.arrival;
select set_config('enable_seqscan', current_setting('idembox.enable_seqscan'), true),
       set_config('jit', current_setting('idembox.jit'), true)

-- TAKE
select failures, crashes, releases, coalesce(forgiven, 0) as forgiven
  from "app".idembox_entry
 where consumer_id = ?
   and state = 'FAILED_RETRYABLE'
   and arrival = ?
   and owner = 'REDELIVERY'
   for update

-- INSERT_BODY
insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
       message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id,
       original, variant, received_at)
values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
       case when cast(? as boolean) then cast(coalesce(cast(? as timestamptz), clock_timestamp()) as timestamptz) end)
    on conflict do nothing

-- INSERT_ENTRY
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, sequence_no,
       original, source_id, id, reason, error_kind, error_class, sql_state, error, failure_group, due_at,
       changed_at)
values (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()), coalesce(cast(? as timestamptz), clock_timestamp()))

-- ADOPT_ENTRY
update "app".idembox_entry
   set owner = 'INBOX',
       due_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and state = ?
   and arrival = ?

-- FAIL_ENTRY
update "app".idembox_entry
   set state = ?,
       owner = ?,
       reason = ?,
       failures = ?,
       error_kind = ?,
       error_class = ?,
       sql_state = ?,
       error = ?,
       failure_group = ?,
       due_at = cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()),
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and state = ?
   and arrival = ?

-- PARK_ENTRY
update "app".idembox_entry
   set state = 'PARKED',
       reason = ?,
       error_kind = ?,
       error_class = ?,
       sql_state = ?,
       error = ?,
       failure_group = ?,
       due_at = null,
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and arrival = ?
   and state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')

-- SETTLE_ENTRIES
delete from "app".idembox_entry
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- INSERT_ATTEMPT
insert into "app".idembox_attempt (arrival, number, node, started_at, ended_at, outcome, error_kind, error_class,
       sql_state, error, stack_trace, trace_id)
values (?, ?, ?, cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()), coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, ?, ?, ?, ?)

-- INSERT_OUTCOMES
insert into "app".idembox_outcome (arrival, settled_at, attempts)
select a.arrival, coalesce(cast(? as timestamptz), clock_timestamp()), cast(? as int)
  from unnest(cast(? as bigint array)) as a(arrival)

-- INSERT_OUTCOME
insert into "app".idembox_outcome (arrival, settled_at, attempts, result, result_type)
values (?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?)

-- UNRECORD_MARK
delete from "app".idembox_ledger
 where consumer_id = ?
   and source_id = ?
   and id = ?
   and arrival = ?

-- UNRECORD_BODY
delete from "app".idembox_body
 where arrival = ?

-- CLAIM
set transaction isolation level read committed;
select set_config('lock_timeout', ?, true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('synchronous_commit',
                  case when cast(? as boolean) then current_setting('synchronous_commit') else 'off' end, true);
select consumer_id from "app".idembox_consumer where consumer_id = ? and not alias for update;
with open as materialized (
     select 1
       from "app".idembox_consumer c
      where c.consumer_id = ?
        and c.name = ?
        and not c.alias
        and c.paused_at is null),
leased as materialized (
     select l.number, l.alone, unnest(l.arrivals) as arrival
       from "app".idembox_lease l
      where l.consumer_id = ?
        and l.number >= ?),
due as materialized (
     select e.arrival
       from "app".idembox_entry e
      where e.consumer_id = ?
        and e.due_at is not null
        and e.due_at <= (select coalesce(cast(? as timestamptz), clock_timestamp()))
        and e.crashes < 2
        and e.arrival not in (select arrival from leased)
      order by e.due_at
      limit ?),
fresh as materialized (
     select e.arrival
       from "app".idembox_entry e
      where e.consumer_id = ?
        and e.state = 'RECEIVED'
        and e.arrival >= ?
        and e.owner = 'INBOX'
        and e.arrival not in (select arrival from leased)
      order by e.arrival
      limit ?),
suspect as materialized (
     select e.arrival
       from "app".idembox_entry e
      where e.consumer_id = ?
        and e.due_at is not null
        and e.due_at <= (select coalesce(cast(? as timestamptz), clock_timestamp()))
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
insert into "app".idembox_lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)
select n.token, nextval('"app".idembox_lease_number'), cast(? as int), coalesce(cast(? as timestamptz), clock_timestamp()), cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()), n.alone, cast(? as varchar),
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

-- GATE
select paused_at
  from "app".idembox_consumer
 where consumer_id = ?
   and not alias
   for update

-- FIND_LEASED is not needed here

-- FIND_DUE is not needed here

-- INSERT_LEASE
insert into "app".idembox_lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)
values (?, nextval('"app".idembox_lease_number'), ?, coalesce(cast(? as timestamptz), clock_timestamp()), cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?)

-- LOAD
select set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
       b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
       (select p.reached from "app".idembox_sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
  from unnest(cast(? as bigint[])) as l(arrival)
 cross join unnest(array['RECEIVED', 'FAILED_RETRYABLE']) as t(state)
 cross join lateral (
       select *
         from "app".idembox_entry r
        where r.consumer_id = ?
          and r.state = t.state
          and r.arrival = l.arrival
       offset 0) e
  left join lateral (
       select *
         from "app".idembox_body r
        where r.arrival = e.arrival
        order by r.revision desc
        limit 1) b
    on true
  left join "app".idembox_source s
    on s.source_id = b.source_id
 where exists (select 1 from "app".idembox_lease h where h.token = ?)
 order by e.arrival;
commit

-- LOAD_EXTENDED
select set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
       b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
       (select p.reached from "app".idembox_sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
  from unnest(cast(? as bigint[])) as l(arrival)
 cross join unnest(array['RECEIVED', 'FAILED_RETRYABLE', 'WAITING']) as t(state)
 cross join lateral (
       select *
         from "app".idembox_entry r
        where r.consumer_id = ?
          and r.state = t.state
          and r.arrival = l.arrival
       offset 0) e
  left join lateral (
       select *
         from "app".idembox_body r
        where r.arrival = e.arrival
        order by r.revision desc
        limit 1) b
    on true
  left join "app".idembox_source s
    on s.source_id = b.source_id
 where exists (select 1 from "app".idembox_lease h where h.token = ?)
 order by e.arrival;
commit

-- EXTEND_LEASE
set transaction isolation level read committed;
select set_config('lock_timeout', ?, true),
       set_config('synchronous_commit', 'off', true);
select set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select consumer_id from "app".idembox_consumer where consumer_id = ? and not alias for update;
with wanted as materialized (
     select cast(? as int) as consumer_id, cast(? as uuid) as token, cast(? as text[]) as standing,
            cast(? as int) as followers),
leased as materialized (
     select unnest(l.arrivals) as arrival
       from "app".idembox_lease l
       join wanted n
         on l.consumer_id = n.consumer_id),
head as materialized (
     select h.arrival, h.key_id, n.standing, n.followers
       from wanted n
       join "app".idembox_lease l
         on l.token = n.token
      cross join unnest(l.arrivals) as a(arrival)
      cross join unnest(array['RECEIVED', 'FAILED_RETRYABLE']) as t(state)
      cross join lateral (
            select r.arrival, r.key_id
              from "app".idembox_entry r
             where r.consumer_id = n.consumer_id
               and r.state = t.state
               and r.arrival = a.arrival
            offset 0) h),
behind as materialized (
     select f.arrival
       from head h
      cross join lateral (
            select w.arrival, row_number() over (order by w.arrival) as nth
              from "app".idembox_entry w
             where w.key_id = h.key_id
               and w.state = 'WAITING'
               and w.sequence_no is null
               and w.arrival > h.arrival
               and not exists (
                   select 1
                     from "app".idembox_entry p
                    where p.key_id = h.key_id
                      and p.arrival > h.arrival
                      and p.arrival <= w.arrival
                      and (p.state = any (h.standing) or p.arrival in (select arrival from leased)))
             order by w.arrival
             limit h.followers) f
      order by f.nth, f.arrival
      limit (select followers from wanted))
update "app".idembox_lease l
   set arrivals = l.arrivals || array(select b.arrival from behind b order by b.arrival)
  from wanted n
 where l.token = n.token
returning l.arrivals;
commit

-- END_LEASE
delete from "app".idembox_lease
 where token = ?

-- SHRINK_LEASE
update "app".idembox_lease
   set arrivals = ?
 where token = ?

-- RENEW_LEASES
with mine as materialized (
     select token
       from "app".idembox_lease
      where token = any (?)
        for update skip locked)
update "app".idembox_lease l
   set lease_until = cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp())
  from mine
 where l.token = mine.token
returning l.token

-- FIND_LEASES
select token, alone, arrivals
  from "app".idembox_lease
 where token = any (?)

-- HOLD_ENTRY
update "app".idembox_entry
   set state = 'RECEIVED'
 where consumer_id = ?
   and state = 'FAILED_RETRYABLE'
   and arrival = ?
   and owner = 'REDELIVERY'

-- RELEASE_ENTRIES
update "app".idembox_entry
   set state = case when owner = 'REDELIVERY' then 'FAILED_RETRYABLE' else state end,
       releases = case when releases < 30000 then releases + 1 else releases end
 where consumer_id = ?
   and state in ('RECEIVED', 'FAILED_RETRYABLE')
   and arrival = any (?)

-- REAP
with dead as materialized (
     select token
       from "app".idembox_lease
      where consumer_id = ?
        and lease_until < (select coalesce(cast(? as timestamptz), clock_timestamp()))
        for update skip locked),
gone as (
     delete from "app".idembox_lease l
      using dead
      where l.token = dead.token
     returning l.consumer_id, l.node, l.claimed_at, l.arrivals),
held as (
     select g.consumer_id, g.node, g.claimed_at, u.arrival
       from gone g
      cross join lateral unnest(g.arrivals) as u(arrival)),
crashed as (
     update "app".idembox_entry e
        set crashes = e.crashes + 1,
            state = case when e.crashes + 1 >= 3 then 'PARKED' else 'FAILED_RETRYABLE' end,
            reason = case when e.crashes + 1 >= 3 then 'CRASH' else 'LEASE_EXPIRED' end,
            due_at = case when e.crashes + 1 < 3 and e.owner = 'INBOX' then coalesce(cast(? as timestamptz), clock_timestamp()) end,
            error_kind = case when e.crashes + 1 >= 3 then 'PARK' else 'TRANSIENT' end,
            error_class = 'LeaseExpired',
            sql_state = null,
            error = cast(? as text),
            failure_group = null,
            changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
       from held h
      where e.consumer_id = h.consumer_id
        and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
        and e.arrival = h.arrival
     returning e.arrival, e.key_id, e.sequence_no, e.generation, e.crashes,
               coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases as number, e.state,
               e.error_kind, e.error, h.node, h.claimed_at, e.changed_at),
behind as (
     update "app".idembox_entry e
        set crashes = least(e.crashes + 1, 2),
            changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
       from held h
      where cast(? as boolean)
        and e.consumer_id = h.consumer_id
        and e.state = 'WAITING'
        and e.arrival = h.arrival),
told as (
     insert into "app".idembox_attempt (arrival, number, node, started_at, ended_at, outcome, error_kind, error_class,
            error)
     select arrival, number, node, claimed_at, changed_at, state, error_kind, 'LeaseExpired', error
       from crashed
         on conflict do nothing)
select arrival, crashes, state, key_id, sequence_no, generation
  from crashed
 order by arrival

-- FIND_IDS
select b.arrival, s.name as source, b.id, b.full_id
  from "app".idembox_body b
  join "app".idembox_source s
    on s.source_id = b.source_id
 where b.arrival = any (?)
   and b.revision = 0

-- LOAD_PARKED
select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
       b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
       (select p.reached from "app".idembox_sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
  from "app".idembox_entry e
 cross join lateral (
       select *
         from "app".idembox_body r
        where r.arrival = e.arrival
        order by r.revision desc
        limit 1) b
  join "app".idembox_source s
    on s.source_id = b.source_id
 where e.consumer_id = ?
   and e.state = 'PARKED'
   and e.arrival = any (?)
 order by e.arrival

-- FIND_EXPIRED is not needed here

-- CRASH_ENTRY is not needed here

-- SUSPECT_ENTRY is not needed here

-- FIND_CRASHED is not needed here

-- LOCK_KEYS
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true);
insert into "app".idembox_key as k (consumer_id, name, key_id)
select ?, n.name, nextval('"app".idembox_key_number')
  from (select u.name
          from unnest(cast(? as text[])) as u(name)
         order by u.name collate "C") n
    on conflict (consumer_id, name) do update set name = k.name;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
select k.name, k.key_id, f.arrival, f.sequence_no, p.reached
  from "app".idembox_key k
  left join lateral (
       select e.arrival, e.sequence_no
         from "app".idembox_entry e
        where e.key_id = k.key_id
          and e.state = any (?)
        order by e.sequence_no nulls first, e.arrival
        limit 1) f
    on true
  left join "app".idembox_sequence p
    on p.key_id = k.key_id
   and p.generation = 0
 where k.consumer_id = ?
   and k.name = any (?)

-- LOCK_KEYS_FIRST
set transaction isolation level read committed;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true),
       pg_advisory_xact_lock_shared((cast(cast(cast('"app".idembox_ledger' as regclass) as oid) as bigint) << 32) | cast(? as bigint));
insert into "app".idembox_key as k (consumer_id, name, key_id)
select ?, n.name, nextval('"app".idembox_key_number')
  from (select u.name
          from unnest(cast(? as text[])) as u(name)
         order by u.name collate "C") n
    on conflict (consumer_id, name) do update set name = k.name;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
select k.name, k.key_id, f.arrival, f.sequence_no, p.reached
  from "app".idembox_key k
  left join lateral (
       select e.arrival, e.sequence_no
         from "app".idembox_entry e
        where e.key_id = k.key_id
          and e.state = any (?)
        order by e.sequence_no nulls first, e.arrival
        limit 1) f
    on true
  left join "app".idembox_sequence p
    on p.key_id = k.key_id
   and p.generation = 0
 where k.consumer_id = ?
   and k.name = any (?)

-- INSERT_KEY is not needed here

-- LOCK_KEY is not needed here

-- FIND_FIRST is not needed here

-- RELOCK_KEYS
select key_id
  from "app".idembox_key
 where key_id = any (?)
 order by consumer_id, name
   for update

-- RELOCK_KEYS_WITHIN
savepoint idembox_wait;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true);
select key_id
  from "app".idembox_key
 where key_id = any (?)
 order by consumer_id, name
   for update
;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
release savepoint idembox_wait

-- FIND_KEYS_IN_ORDER is not needed here

-- LOCK_FREE_KEYS
select key_id
  from "app".idembox_key
 where key_id = any (?)
 order by consumer_id, name
   for update skip locked

-- FIND_STRAGGLERS
select w.arrival, w.key_id,
       exists (select 1
                 from "app".idembox_entry a
                where a.key_id = w.key_id
                  and a.state in ('RECEIVED', 'FAILED_RETRYABLE')) as busy
  from "app".idembox_entry w
 where w.consumer_id = ?
   and w.state = 'WAITING'
   and w.owner = 'INBOX'
   and w.arrival > ?
 order by w.arrival
 limit ?

-- INSERT_KEYED
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, sequence_no)
values (?, ?, 0, 0, 0, ?, ?, ?, ?)

-- PROMOTE
with next as materialized (
     select f.arrival
       from unnest(cast(? as bigint[])) as k(key_id)
      cross join lateral (
            select w.arrival, w.state, w.sequence_no, w.owner, w.generation
              from "app".idembox_entry w
             where w.key_id = k.key_id
               and w.state = any (?)
             order by w.sequence_no nulls first, w.arrival
             limit 1) f
       left join lateral (
            select a.arrival
              from "app".idembox_entry a
             where a.key_id = k.key_id
               and a.state in ('RECEIVED', 'FAILED_RETRYABLE')
             order by a.sequence_no nulls first, a.arrival
             limit 1) busy
         on true
      where f.state = 'WAITING'
        and f.owner <> 'REPLAY'
        and busy.arrival is null
        and (not cast(? as boolean) or f.sequence_no is null or f.generation > 0 or f.sequence_no - 1 <= (
            select p.reached
              from "app".idembox_sequence p
             where p.key_id = k.key_id
               and p.generation = 0)))
update "app".idembox_entry e
   set state = case when e.crashes < 2 then 'RECEIVED' else 'FAILED_RETRYABLE' end,
       due_at = case when e.crashes >= 2 then e.changed_at end
 where e.consumer_id = ?
   and e.state = 'WAITING'
   and e.arrival >= (select min(n.arrival) from next n)
   and e.arrival <= (select max(n.arrival) from next n)
   and e.arrival = any (array(select n.arrival from next n))

-- ADVANCE
insert into "app".idembox_sequence as p (key_id, generation, consumer_id, reached)
select a.key_id, cast(? as int), cast(? as int), a.reached
  from unnest(cast(? as bigint[]), cast(? as bigint[])) as a(key_id, reached)
    on conflict (key_id, generation) do update
       set reached = excluded.reached
     where p.reached < excluded.reached

-- WATCH
update "app".idembox_sequence p
   set gap_since = case when coalesce((select w.state
            from "app".idembox_entry w
           where w.key_id = p.key_id
             and w.state = any (?)
           order by w.sequence_no nulls first, w.arrival
           limit 1) = 'WAITING', false)
   and coalesce((select min(w.sequence_no)
                   from "app".idembox_entry w
                  where w.key_id = p.key_id
                    and w.state = 'WAITING') - 1 > p.reached, false) then coalesce(p.gap_since, cast(coalesce(cast(? as timestamptz), clock_timestamp()) as timestamp(6) with time zone)) end
 where p.generation = 0
   and p.key_id = any (?)
   and (p.gap_since is null) = (coalesce((select w.state
            from "app".idembox_entry w
           where w.key_id = p.key_id
             and w.state = any (?)
           order by w.sequence_no nulls first, w.arrival
           limit 1) = 'WAITING', false)
   and coalesce((select min(w.sequence_no)
                   from "app".idembox_entry w
                  where w.key_id = p.key_id
                    and w.state = 'WAITING') - 1 > p.reached, false))

-- FIND_REACHED
select key_id, reached
  from "app".idembox_sequence
 where generation = ?
   and key_id = any (?)

-- FIND_GAPS
select p.key_id, k.name, p.reached,
       (select min(w.sequence_no) from "app".idembox_entry w where w.key_id = p.key_id and w.state = 'WAITING') as sequence_no
  from "app".idembox_sequence p
  join "app".idembox_key k
    on k.key_id = p.key_id
 where p.consumer_id = ?
   and p.generation = 0
   and p.gap_since < cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp())
   and coalesce((select w.state
            from "app".idembox_entry w
           where w.key_id = p.key_id
             and w.state = any (?)
           order by w.sequence_no nulls first, w.arrival
           limit 1) = 'WAITING', false)
   and coalesce((select min(w.sequence_no)
                   from "app".idembox_entry w
                  where w.key_id = p.key_id
                    and w.state = 'WAITING') - 1 > p.reached, false)
 order by p.gap_since
 limit ?

-- PARK_BEHIND_GAP
update "app".idembox_entry e
   set state = 'PARKED',
       reason = 'GAP',
       error_kind = 'PARK',
       error_class = 'Gap',
       sql_state = null,
       error = ?,
       failure_group = null,
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where e.consumer_id = ?
   and e.state = 'WAITING'
   and e.key_id = ?
   and e.sequence_no = ?
   and exists (
       select 1
         from "app".idembox_sequence p
        where p.key_id = e.key_id
          and p.generation = 0
          and p.reached = ?
          and p.gap_since < cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp())
          and coalesce((select w.state
            from "app".idembox_entry w
           where w.key_id = p.key_id
             and w.state = any (?)
           order by w.sequence_no nulls first, w.arrival
           limit 1) = 'WAITING', false)
   and coalesce((select min(w.sequence_no)
                   from "app".idembox_entry w
                  where w.key_id = p.key_id
                    and w.state = 'WAITING') - 1 > p.reached, false))

-- LOAD_PARKED_BEHIND_GAP
select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
       b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
       (select p.reached from "app".idembox_sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
  from "app".idembox_entry e
 cross join lateral (
       select *
         from "app".idembox_body r
        where r.arrival = e.arrival
        order by r.revision desc
        limit 1) b
  join "app".idembox_source s
    on s.source_id = b.source_id
 where e.consumer_id = ?
   and e.state = 'PARKED'
   and e.reason = 'GAP'
   and e.key_id = ?
   and e.sequence_no = ?
 order by e.arrival

-- SKIP_GAP
update "app".idembox_sequence p
   set reached = ?,
       gap_since = null
 where p.key_id = ?
   and p.generation = 0
   and p.reached = ?
   and p.gap_since < cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp())
   and coalesce((select w.state
            from "app".idembox_entry w
           where w.key_id = p.key_id
             and w.state = any (?)
           order by w.sequence_no nulls first, w.arrival
           limit 1) = 'WAITING', false)
   and coalesce((select min(w.sequence_no)
                   from "app".idembox_entry w
                  where w.key_id = p.key_id
                    and w.state = 'WAITING') - 1 > p.reached, false)

-- RESTART_GAP
update "app".idembox_sequence p
   set gap_since = coalesce(cast(? as timestamptz), clock_timestamp())
 where p.key_id = ?
   and p.generation = 0
   and p.reached = ?
   and p.gap_since < cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp())
   and coalesce((select w.state
            from "app".idembox_entry w
           where w.key_id = p.key_id
             and w.state = any (?)
           order by w.sequence_no nulls first, w.arrival
           limit 1) = 'WAITING', false)
   and coalesce((select min(w.sequence_no)
                   from "app".idembox_entry w
                  where w.key_id = p.key_id
                    and w.state = 'WAITING') - 1 > p.reached, false)

-- FIND_OWNER
select node, in_flight, released, incarnation, first_offset, next_offset, leader_epoch, epoch_offset
  from "app".idembox_partition
 where consumer_id = ?
   and partition_name = ?
   for update

-- INSERT_OWNER
insert into "app".idembox_partition (consumer_id, partition_name, node, token, in_flight, released, taken_at)
values (?, ?, ?, ?, 0, false, coalesce(cast(? as timestamptz), clock_timestamp()))
    on conflict do nothing

-- TAKE_OVER
update "app".idembox_partition
   set node = ?,
       token = ?,
       released = false,
       taken_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and partition_name = ?

-- ALLOW
update "app".idembox_partition
   set in_flight = greatest(in_flight, cast(? as int)),
       released = false
 where consumer_id = ?
   and partition_name = ?
   and token = ?

-- REACHED
update "app".idembox_partition
   set incarnation = ?,
       first_offset = ?,
       next_offset = ?,
       leader_epoch = ?,
       epoch_offset = ?
 where consumer_id = ?
   and partition_name = ?
   and token = ?
   and (incarnation is not distinct from cast(? as varchar)
        or incarnation is not distinct from cast(? as varchar))
   and (next_offset is null or next_offset between ? and ?)

-- HAS_TOKEN
select count(*)
  from "app".idembox_partition
 where consumer_id = ?
   and partition_name = ?
   and token = ?

-- FENCE_LANE
select cast(coalesce(max('0'), 'idembox: the partition was taken over') as int)
  from "app".idembox_partition
 where consumer_id = ?
   and partition_name = ?
   and token = ?

-- FIND_TIMELINE
select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)

-- IS_IN_RECOVERY
select pg_is_in_recovery()

-- RELEASE_OWNER
update "app".idembox_partition
   set released = true,
       in_flight = 0
 where consumer_id = ?
   and partition_name = ?
   and token = ?

-- SEND
select set_config('idembox.enable_seqscan', current_setting('enable_seqscan'), true),
       set_config('idembox.jit', current_setting('jit'), true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true);
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', coalesce(cast(? as text), current_setting('lock_timeout')), true);
insert into "app".idembox_key as k (consumer_id, name, key_id)
select ?, n.name, nextval('"app".idembox_key_number')
  from (select u.name
          from unnest(cast(? as text[])) as u(name)
         order by u.name collate "C") n
    on conflict (consumer_id, name) do update set name = k.name;
with m as materialized (
     select *
       from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]),
                   cast(? as int[]), cast(? as text[]), cast(? as text[]), cast(? as bytea[]),
                   cast(? as bytea[]), cast(? as text[]), cast(? as timestamptz[]), cast(? as text[]),
                   cast(? as int[]), cast(? as bigint[]), cast(? as text[]), cast(? as bigint[]))
         as m(slot, source_id, id, variant, event_version, event_type, message_key, headers, payload,
              content_type, sent_at, channel, partition_no, offset_no, full_id, cause)),
l as (
     insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
     select (select nextval('"app".idembox_arrival')) * 2048 + m.slot,
            (select coalesce(cast(? as timestamptz), clock_timestamp())),
            m.variant, ?, m.source_id, 'S', m.id
       from m
         on conflict do nothing
     returning arrival, consumer_id),
b as (
     insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
            message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no,
            full_id, cause)
     select l.arrival, 0, m.event_version, l.consumer_id, m.source_id, m.id, m.event_type,
            m.message_key, m.headers, m.payload, m.content_type, m.sent_at, m.channel, m.partition_no,
            m.offset_no, m.full_id, cause
       from l
       join m on m.slot = l.arrival % 2048
      order by l.arrival),
placed as (
     select q.arrival, q.consumer_id, q.key_id,
            row_number() over (partition by q.key_id order by q.arrival) as nth
       from (select l.arrival, l.consumer_id,
                    case when cast(? as boolean)
                         then (select k.key_id
                                 from "app".idembox_key k
                                where k.consumer_id = l.consumer_id
                                  and k.name = m.message_key)
                    end as key_id
               from l
               join m on m.slot = l.arrival % 2048) q),
e as (
     insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id)
     select p.arrival, p.consumer_id, 0, 0, 0,
            case when p.key_id is null then 'RECEIVED'
                 when p.nth = 1 and (select f.arrival
                                       from "app".idembox_entry f
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
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
select set_config('enable_seqscan', current_setting('idembox.enable_seqscan'), true),
       set_config('jit', current_setting('idembox.jit'), true)
;
select (select count(*)
          from "app".idembox_consumer c
         where c.name = ?
           and c.consumer_id = ?
           and not c.alias)
     + (select count(*)
          from unnest(cast(? as text[]), cast(? as int[])) as k(name, source_id)
         cross join lateral (
               select 1
                 from "app".idembox_source s
                where s.name = k.name
                  and s.source_id = k.source_id
                limit 1) s) as known

-- SET_CAUSE is not needed here

-- FIND_SENT
select b.arrival, b.message_key
  from "app".idembox_body b
 where b.cause = any (?)
   and b.consumer_id = ?
   and b.revision = 0
 order by b.arrival

-- LOCK_SENT
select l.arrival
  from "app".idembox_body b
  join "app".idembox_ledger l
    on l.consumer_id = b.consumer_id
   and l.source_id = b.source_id
   and l.id = b.id
   and l.arrival = b.arrival
  join "app".idembox_outcome o
    on o.arrival = l.arrival
 where b.arrival = ?
   and b.revision = 0
   and o.settled_at > (select cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()))
   for update of l

-- RESEND
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, forgiven)
select cast(? as bigint), cast(? as int), 0, 0, 0, cast(? as varchar), 'INBOX', cast(? as bigint),
       (select max(a.number) from "app".idembox_attempt a where a.arrival = ?)
 where not exists (
       select 1
         from "app".idembox_entry e
        where e.consumer_id = ?
          and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
          and e.arrival = ?)

-- FORGET_SENT
delete from "app".idembox_outcome
 where arrival = ?

-- FIND_TRIES
select cast(coalesce(cast(? as timestamptz), clock_timestamp()) as timestamptz) as looked_at, t.*,
       exists (select 1
                 from "app".idembox_entry e
                where e.consumer_id = ?
                  and e.state = 'FAILED_RETRYABLE'
                  and e.arrival = ?
                  and e.reason = 'REDRIVEN')
       and exists (select 1
                     from "app".idembox_attempt p
                    where p.arrival = ?
                      and p.outcome = 'PARKED'
                      and p.error_class = 'UNKNOWN'
                      and p.number = (select max(n.number) from "app".idembox_attempt n where n.arrival = p.arrival)) as redriven
  from (select a.number, a.error_class,
               min(a.started_at) over () as first_tried,
               max(case when a.error_class <> 'STILL_UNKNOWN' then a.ended_at end) over () as last_ended,
               min(case when a.error_class in ('UNKNOWN', 'LeaseExpired') then a.started_at end) over () as first_in_doubt
          from "app".idembox_attempt a
         where a.arrival = ?
           and a.error_kind <> 'UNREADABLE'
           and a.error_class <> 'KEY_EXPIRED') t
 order by t.number desc
 limit 1

-- COUNT_PAGES
select pg_relation_size(cast('"app".idembox_ledger' as regclass)) / cast(current_setting('block_size') as int)

-- PURGE
with old as materialized (
     select l.consumer_id, l.source_id, l.id, l.arrival
       from "app".idembox_ledger l
      where l.consumer_id = ?
        and l.ctid >= cast(? as tid)
        and l.ctid < cast(? as tid)
        and l.received_at < (select cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()))
        and not exists (
            select 1
              from "app".idembox_outcome o
             where o.arrival = l.arrival
               and o.settled_at >= (select cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp())))
        and not exists (
            select 1
              from "app".idembox_entry e
             where e.consumer_id = l.consumer_id
               and e.arrival = l.arrival
               and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED'))
        and not exists (
            select 1
              from "app".idembox_entry c
             where c.original = l.arrival)
      limit ?
        for update skip locked),
gone as (
     delete from "app".idembox_ledger l
      using old
      where l.consumer_id = old.consumer_id
        and l.source_id = old.source_id
        and l.id = old.id
        and l.arrival = old.arrival
     returning l.arrival),
bodies as (
     delete from "app".idembox_body b
      using gone
      where b.arrival = gone.arrival),
conflicts as (
     delete from "app".idembox_body b
      using gone
      where b.original = gone.arrival
     returning b.arrival),
nameless as (
     select arrival from gone
      union all
     select arrival from conflicts),
attempts as (
     delete from "app".idembox_attempt a
      using nameless
      where a.arrival = nameless.arrival),
steps as (
     delete from "app".idembox_step s
      using nameless
      where s.arrival = nameless.arrival),
outcomes as (
     delete from "app".idembox_outcome o
      using nameless
      where o.arrival = nameless.arrival)
select count(*)
  from gone

-- PURGE_DISCARDED
with dead as materialized (
     select e.consumer_id, e.arrival, e.original, coalesce(e.source_id, b.source_id) as source_id,
            coalesce(e.id, b.id) as id
       from "app".idembox_entry e
       left join "app".idembox_body b
         on b.arrival = e.arrival
        and b.revision = 0
      where e.consumer_id = ?
        and e.state = 'DISCARDED'
        and e.changed_at < (select cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()))
        and not exists (
            select 1
              from "app".idembox_entry c
             where c.original = e.arrival)
      limit ?
        for update of e skip locked),
buried as (
     delete from "app".idembox_entry e
      using dead
      where e.consumer_id = dead.consumer_id
        and e.state = 'DISCARDED'
        and e.arrival = dead.arrival
     returning e.arrival),
gone as (
     delete from "app".idembox_ledger l
      using dead
      where dead.original is null
        and l.consumer_id = dead.consumer_id
        and l.source_id = dead.source_id
        and l.id = dead.id
        and l.arrival = dead.arrival
     returning l.arrival),
bodies as (
     delete from "app".idembox_body b
      using gone
      where b.arrival = gone.arrival),
conflicts as (
     delete from "app".idembox_body b
      using gone
      where b.original = gone.arrival
     returning b.arrival),
nameless as (
     select arrival from gone
      union all
     select arrival from conflicts),
attempts as (
     delete from "app".idembox_attempt a
      using nameless
      where a.arrival = nameless.arrival),
steps as (
     delete from "app".idembox_step s
      using nameless
      where s.arrival = nameless.arrival),
outcomes as (
     delete from "app".idembox_outcome o
      using nameless
      where o.arrival = nameless.arrival)
select count(*)
  from buried

-- FIND_LAST_KEY
select max(key_id) as last_key
  from (select key_id
          from "app".idembox_key
         where key_id > ?
         order by key_id
         limit ?) k

-- LOCK_IDLE_KEYS
select k.key_id
  from "app".idembox_key k
 where k.key_id > ?
   and k.key_id <= ?
   and (select e.arrival from "app".idembox_entry e where e.key_id = k.key_id limit 1) is null
   and (select p.generation from "app".idembox_sequence p where p.key_id = k.key_id limit 1) is null
   for update skip locked

-- FORGET_KEYS
delete from "app".idembox_key k
 where k.key_id = any (?)
   and (select e.arrival from "app".idembox_entry e where e.key_id = k.key_id limit 1) is null
   and (select p.generation from "app".idembox_sequence p where p.key_id = k.key_id limit 1) is null

-- FIND_OLD_PLANS
select campaign_id
  from "app".idembox_campaign
 where state = 'PLANNED'
   and changed_at < cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp())
 order by planned_at
 limit ?

-- FORGET_PLANS
delete from "app".idembox_campaign
 where campaign_id = any (?)
   and state = 'PLANNED'

-- FORGET_PLANNED_STEPS
delete from "app".idembox_campaign_step s
 where s.campaign_id = any (?)
   and not exists (
       select 1 from "app".idembox_campaign c where c.campaign_id = s.campaign_id)

-- FIND_OLD is not needed here

-- FIND_DISCARDED is not needed here

-- FORGET_MARK is not needed here

-- FORGET_ENTRY is not needed here

-- FORGET_BODY is not needed here

-- FORGET_ATTEMPTS is not needed here

-- FORGET_STEPS is not needed here

-- FORGET_OUTCOME is not needed here

-- FIND_CONSUMERS
select name
  from "app".idembox_consumer
 where not alias
 order by name

-- FIND_MESSAGE
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select l.arrival, l.received_at, o.settled_at, o.attempts as settled_attempts, l.id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_ledger l
  left join "app".idembox_source s
    on s.source_id = l.source_id
  left join "app".idembox_entry e
    on e.consumer_id = l.consumer_id
   and e.arrival = l.arrival
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
  left join "app".idembox_envelope b
    on b.arrival = l.arrival
   and b.revision = 0
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join "app".idembox_outcome o
    on o.arrival = l.arrival
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where l.consumer_id = ?
   and l.source_id = coalesce((select n.source_id from "app".idembox_source n where n.name = ?), ?)
   and l.id = ?

-- FIND_PAYLOAD
select set_config('statement_timeout', '5s', true);
select revision, event_type, event_version, headers, payload, content_type
  from "app".idembox_body
 where arrival = ?
   and (cast(? as bigint) is null or revision = cast(? as bigint))
 order by revision desc
 limit 1

-- FIND_ARRIVALS
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select l.arrival
  from "app".idembox_source s
  join "app".idembox_ledger l
    on l.source_id = s.source_id
 where s.name = ?
   and l.consumer_id = ?
   and l.id = ?
 union all
select b.arrival
  from "app".idembox_source s
  join "app".idembox_ledger l
    on l.source_id = s.source_id
  join "app".idembox_envelope b
    on b.original = l.arrival
 where s.name = ?
   and l.consumer_id = ?
   and l.id = ?

-- FIND_ARRIVALS_ANYWHERE
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select l.arrival
  from "app".idembox_source s
 cross join lateral (
       select w.arrival
         from "app".idembox_ledger w
        where w.consumer_id = ?
          and w.source_id = s.source_id
          and w.id = ?
        limit 1) l
 union all
select b.arrival
  from "app".idembox_source s
 cross join lateral (
       select w.arrival
         from "app".idembox_ledger w
        where w.consumer_id = ?
          and w.source_id = s.source_id
          and w.id = ?
        limit 1) l
  join "app".idembox_envelope b
    on b.original = l.arrival

-- LOOK
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select r.*
  from (
select u.*
  from unnest(cast(? as varchar[])) as w(state)
 cross join lateral (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where e.state = w.state
   and h.token is null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) u
 union all
select v.*
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where cast(? as boolean)
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING')
   and e.arrival = any (array(
       select unnest(q.arrivals)
         from "app".idembox_lease q
        where q.consumer_id = ?))
   and h.token is not null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) v) r
 order by r.arrival
 limit ?

-- LOOK_KEY
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select r.*
  from (
select u.*
  from unnest(cast(? as varchar[])) as w(state)
 cross join lateral (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from (
select w.*
  from "app".idembox_entry w
 where w.key_id = (select n.key_id from "app".idembox_key n where n.consumer_id = ? and n.name = ?)
 union all
select w.*
  from "app".idembox_entry w
 where w.key_id is null) e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where e.state = w.state
   and h.token is null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) u
 union all
select v.*
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where cast(? as boolean)
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING')
   and e.arrival = any (array(
       select unnest(q.arrivals)
         from "app".idembox_lease q
        where q.consumer_id = ?))
   and h.token is not null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) v) r
 order by r.arrival
 limit ?

-- COUNT
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select count(*) as matching
  from (
select r.arrival
  from (
select u.*
  from unnest(cast(? as varchar[])) as w(state)
 cross join lateral (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where e.state = w.state
   and h.token is null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) u
 union all
select v.*
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where cast(? as boolean)
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING')
   and e.arrival = any (array(
       select unnest(q.arrivals)
         from "app".idembox_lease q
        where q.consumer_id = ?))
   and h.token is not null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) v) r
 order by r.arrival
 limit ?
) c

-- COUNT_KEY
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select count(*) as matching
  from (
select r.arrival
  from (
select u.*
  from unnest(cast(? as varchar[])) as w(state)
 cross join lateral (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from (
select w.*
  from "app".idembox_entry w
 where w.key_id = (select n.key_id from "app".idembox_key n where n.consumer_id = ? and n.name = ?)
 union all
select w.*
  from "app".idembox_entry w
 where w.key_id is null) e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where e.state = w.state
   and h.token is null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) u
 union all
select v.*
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where cast(? as boolean)
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING')
   and e.arrival = any (array(
       select unnest(q.arrivals)
         from "app".idembox_lease q
        where q.consumer_id = ?))
   and h.token is not null
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) v) r
 order by r.arrival
 limit ?
) c

-- FIND_GROUPS
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select r.*, n.note, n.by_whom as noted_by, n.noted_at
  from (
select u.*,
       count(*) over (partition by u.failure_group) as members,
       min(coalesce(u.changed_at, u.received_at)) over (partition by u.failure_group) as first_at,
       max(coalesce(u.changed_at, u.received_at)) over (partition by u.failure_group) as last_at,
       row_number() over (partition by u.failure_group order by u.arrival desc) as nth
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join lateral (
       select w.received_at
         from "app".idembox_ledger w
        where w.consumer_id = e.consumer_id
          and w.source_id = coalesce(e.source_id, b.source_id)
          and w.id = coalesce(e.id, b.id)
          and w.arrival = e.arrival
        limit 1) l
    on true
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where e.state in ('FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED')
   and (case when h.token is null then e.state = any (?) else cast(? as boolean) end)
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
       ) u
 where u.failure_group is not null) r
  left join "app".idembox_note n
    on n.consumer_id = ?
   and n.failure_group = r.failure_group
 where r.nth = 1
 order by r.members desc, r.last_at desc, r.failure_group
 limit ?

-- WRITE_NOTE
insert into "app".idembox_note as n (consumer_id, failure_group, note, by_whom, noted_at)
values (?, ?, ?, ?, coalesce(cast(? as timestamptz), clock_timestamp()))
    on conflict (consumer_id, failure_group)
    do update set note = excluded.note,
       by_whom = excluded.by_whom,
       noted_at = excluded.noted_at

-- FIND_WAITING
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select c.waiting, coalesce(l.received_at, b.received_at, e.changed_at) as oldest_at
  from (select count(*) as waiting, min(u.arrival) as arrival
          from (
               (select w.arrival
                  from "app".idembox_entry w
                 where w.consumer_id = ?
                   and w.state = 'RECEIVED'
                 order by w.arrival
                 limit ?)
             union all
               (select w.arrival
                  from "app".idembox_entry w
                 where w.consumer_id = ?
                   and w.state = 'WAITING'
                 order by w.arrival
                 limit ?)
             union all
               (select w.arrival
                  from "app".idembox_entry w
                 where w.consumer_id = ?
                   and w.state = 'FAILED_RETRYABLE'
                 order by w.arrival
                 limit ?)
               ) u) c
  left join "app".idembox_entry e
    on e.consumer_id = ?
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE')
   and e.arrival = c.arrival
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_ledger l
    on l.consumer_id = e.consumer_id
   and l.source_id = coalesce(e.source_id, b.source_id)
   and l.id = coalesce(e.id, b.id)
   and l.arrival = e.arrival

-- FIND_TURN
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select e.key_id, e.sequence_no, p.reached, e.generation, e.owner = 'REPLAY' and e.state = 'WAITING' as held, c.campaign_id, c.state
  from "app".idembox_entry e
  left join "app".idembox_sequence p
    on p.key_id = e.key_id
   and p.generation = e.generation
  left join "app".idembox_campaign c
    on c.consumer_id = e.consumer_id
   and c.generation = e.generation
   and e.owner = 'REPLAY'
 where e.consumer_id = ?
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
   and e.arrival = ?

-- FIND_AHEAD
select set_config('statement_timeout', '5s', true),
       set_config('enable_seqscan', 'off', true),
       set_config('jit', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamptz) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) as failure_group
  from "app".idembox_entry e
  left join "app".idembox_envelope b
    on b.arrival = e.arrival
   and b.revision = 0
  left join "app".idembox_source s
    on s.source_id = coalesce(e.source_id, b.source_id)
  left join "app".idembox_key k
    on k.key_id = e.key_id
  left join "app".idembox_ledger l
    on l.consumer_id = e.consumer_id
   and l.source_id = coalesce(e.source_id, b.source_id)
   and l.id = coalesce(e.id, b.id)
   and l.arrival = e.arrival
  left join "app".idembox_lease h
    on h.consumer_id = e.consumer_id
   and e.arrival = any (h.arrivals)
 where e.consumer_id = ?
   and e.key_id = ?
   and e.arrival <> ?
   and e.state = any (?)
   and (e.state in ('RECEIVED', 'FAILED_RETRYABLE')
        or e.sequence_no < cast(? as bigint)
        or (coalesce(e.sequence_no = cast(? as bigint), true) and e.arrival < ?))
 order by case when e.state in ('RECEIVED', 'FAILED_RETRYABLE') then 0 else 1 end, e.sequence_no nulls first, e.arrival
 limit 1

-- FIND_ATTEMPTS
select number, node, started_at, ended_at, outcome, error_kind, error_class, sql_state, error, stack_trace,
       trace_id
  from "app".idembox_attempt
 where arrival = ?
 order by number desc
 limit ?

-- FIND_OPERATIONS
select set_config('statement_timeout', '5s', true);
select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
  from "app".idembox_operation
 where consumer_id = ?
   and arrivals @> array[cast(? as bigint)]
 order by given_at desc
 limit ?

-- FIND_OPERATION
select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
  from "app".idembox_operation
 where operation_id = ?

-- INSERT_OPERATION
insert into "app".idembox_operation (operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, asked, done,
       arrivals, verdicts, states)
values (?, ?, ?, ?, ?, ?, ?, coalesce(cast(? as timestamptz), clock_timestamp()), 0, 0, ?, '', '')
    on conflict do nothing

-- FINISH_OPERATION
update "app".idembox_operation
   set asked = ?,
       done = ?,
       arrivals = ?,
       verdicts = ?,
       states = ?,
       number = ?,
       seal_key = ?,
       seal = ?
 where operation_id = ?

-- LOCK_TRAIL
select number, seal
  from "app".idembox_audit_head
   for update

-- EXTEND_TRAIL
update "app".idembox_audit_head
   set number = ?,
       seal = ?
 where number = ?

-- FIND_TRAIL
select number, seal
  from "app".idembox_audit_head

-- READ_TRAIL
select o.operation_id, o.kind, o.consumer_id, o.by_whom, o.role, o.reason, o.filter, o.given_at, o.asked, o.done, o.arrivals,
       o.verdicts, o.states, o.number, o.seal_key, o.seal, c.name as consumer
  from "app".idembox_operation o
  left join "app".idembox_consumer c on c.consumer_id = o.consumer_id and not c.alias
 where o.number > ?
 order by o.number
 limit ?

-- COUNT_UNSEALED
select count(*) as unsealed
  from "app".idembox_operation
 where number is null
    or number < 1

-- FIND_ENTRIES
select arrival, key_id
  from "app".idembox_entry
 where consumer_id = ?
   and state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
   and arrival = any (?)

-- PICK
select e.arrival, e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.changed_at, e.key_id, e.sequence_no, e.generation,
       exists (select 1 from "app".idembox_envelope b where b.arrival = e.arrival) as kept,
       exists (select 1 from "app".idembox_lease h where h.consumer_id = e.consumer_id and e.arrival = any (h.arrivals)) as leased
  from "app".idembox_entry e
 where e.consumer_id = ?
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
   and e.arrival = any (?)
 order by e.arrival
   for update skip locked

-- REDRIVE_ENTRIES
update "app".idembox_entry
   set state = case when key_id is null then 'FAILED_RETRYABLE' else 'WAITING' end,
       owner = 'INBOX',
       reason = 'REDRIVEN',
       forgiven = coalesce(forgiven, 0) + failures + crashes - least(crashes, 2),
       failures = 0,
       crashes = least(crashes, 2),
       due_at = case when key_id is null then cast(coalesce(cast(? as timestamptz), clock_timestamp()) as timestamptz) end,
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- PARK_ENTRIES
update "app".idembox_entry
   set state = 'PARKED',
       reason = 'OPERATOR',
       due_at = null,
       error_kind = coalesce(error_kind, 'PARK'),
       error_class = coalesce(error_class, 'OPERATOR'),
       error = coalesce(error, ?),
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- DISCARD_ENTRIES
update "app".idembox_entry
   set state = 'DISCARDED',
       reason = 'OPERATOR',
       due_at = null,
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- RESTORE_ENTRIES
update "app".idembox_entry
   set state = 'PARKED',
       reason = 'RESTORED',
       due_at = null,
       error_kind = coalesce(error_kind, 'PARK'),
       error_class = coalesce(error_class, 'RESTORED'),
       error = coalesce(error, ?),
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- EDIT_ENTRIES
update "app".idembox_entry
   set changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- REVISE_BODY
insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type, message_key,
       headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id, original, variant,
       received_at, cause)
select b.arrival, b.revision + 1, b.event_version, b.consumer_id, b.source_id, b.id, b.event_type, b.message_key,
       b.headers, cast(? as bytea), cast(? as varchar), b.sent_at, b.channel, b.partition_no, b.offset_no, b.full_id,
       b.original, b.variant, b.received_at, b.cause
  from "app".idembox_body b
 where b.arrival = ?
   and b.revision = (select max(r.revision) from "app".idembox_body r where r.arrival = b.arrival)

-- INSERT_CAMPAIGN
insert into "app".idembox_campaign (campaign_id, kind, consumer_id, by_whom, role, reason, filter, canary, per_second, stop_above,
       state, total, given, done, steps, position, since, planned_at, changed_at, next_at, replay_from, replay_to,
       replay_type, replay_key)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PLANNED', ?, 0, 0, ?, 0, 0, coalesce(cast(? as timestamptz), clock_timestamp()), coalesce(cast(? as timestamptz), clock_timestamp()), coalesce(cast(? as timestamptz), clock_timestamp()), cast(? as timestamptz),
       cast(? as timestamptz), ?, ?)
    on conflict do nothing

-- INSERT_CAMPAIGN_STEP
insert into "app".idembox_campaign_step (campaign_id, step, arrivals, versions)
values (?, ?, ?, ?)

-- FIND_CAMPAIGN
select c.campaign_id, c.kind, n.name as consumer, c.by_whom, c.role, c.reason, c.filter, c.canary, c.per_second, c.stop_above,
       c.state, c.total, c.given, c.done, c.steps, c.position, c.since, c.planned_at, c.changed_at,
       c.next_at, cast(coalesce(cast(? as timestamptz), clock_timestamp()) as timestamptz) as seen_at, c.note, c.generation, c.replay_from, c.replay_to, c.replay_type, c.replay_key
  from "app".idembox_campaign c
  join "app".idembox_consumer n
    on n.consumer_id = c.consumer_id
   and not n.alias
 where c.campaign_id = ?

-- FIND_CAMPAIGNS
select c.campaign_id, c.kind, n.name as consumer, c.by_whom, c.role, c.reason, c.filter, c.canary, c.per_second, c.stop_above,
       c.state, c.total, c.given, c.done, c.steps, c.position, c.since, c.planned_at, c.changed_at,
       c.next_at, cast(coalesce(cast(? as timestamptz), clock_timestamp()) as timestamptz) as seen_at, c.note, c.generation, c.replay_from, c.replay_to, c.replay_type, c.replay_key
  from "app".idembox_campaign c
  join "app".idembox_consumer n
    on n.consumer_id = c.consumer_id
   and not n.alias
 order by c.planned_at desc, c.campaign_id
 limit ?

-- FIND_RUNNING_CAMPAIGNS
select c.campaign_id, c.kind, n.name as consumer, c.by_whom, c.role, c.reason, c.filter, c.canary, c.per_second, c.stop_above,
       c.state, c.total, c.given, c.done, c.steps, c.position, c.since, c.planned_at, c.changed_at,
       c.next_at, cast(coalesce(cast(? as timestamptz), clock_timestamp()) as timestamptz) as seen_at, c.note, c.generation, c.replay_from, c.replay_to, c.replay_type, c.replay_key
  from "app".idembox_campaign c
  join "app".idembox_consumer n
    on n.consumer_id = c.consumer_id
   and not n.alias
 where c.state = 'RUNNING'
 order by c.planned_at, c.campaign_id

-- FIND_CAMPAIGN_STEP
select arrivals, versions
  from "app".idembox_campaign_step
 where campaign_id = ?
   and step = ?

-- ADVANCE_CAMPAIGN
update "app".idembox_campaign
   set position = ?,
       given = given + ?,
       done = done + ?,
       next_at = cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()),
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where campaign_id = ?
   and state = 'RUNNING'
   and position = ?

-- START_CAMPAIGN
update "app".idembox_campaign
   set state = 'RUNNING',
       note = null,
       since = position,
       by_whom = ?,
       role = ?,
       reason = ?,
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where campaign_id = ?
   and state = any (?)

-- CHANGE_CAMPAIGN
update "app".idembox_campaign
   set state = ?,
       note = ?,
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where campaign_id = ?
   and state = any (?)
   and since = coalesce(cast(? as bigint), since)

-- FIND_GENERATION
select coalesce(generation, 0) as generation
  from "app".idembox_campaign
 where campaign_id = ?

-- FIND_STEPS_DONE
select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
  from "app".idembox_operation
 where operation_id = any (?)

-- JUDGE
select count(case when e.state in ('FAILED_TERMINAL', 'PARKED')
                    or e.state = 'FAILED_RETRYABLE' and e.failures > 0 then 1 end) as failed,
       count(case when e.state = 'RECEIVED'
                    or e.state = 'FAILED_RETRYABLE' and e.failures = 0 then 1 end) as open,
       count(case when e.state = 'WAITING' then 1 end) as waiting,
       count(*) as unfinished
  from "app".idembox_entry e
 where e.consumer_id = ?
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
   and e.arrival = any (?)

-- COUNT_REPLAY
select count(case when r.kept and not r.skipped and not r.unfinished then 1 end) as would_run,
       count(case when r.unfinished then 1 end) as unfinished,
       count(case when not r.kept and not r.skipped and not r.unfinished then 1 end) as without_body,
       count(case when r.skipped and not r.unfinished then 1 end) as skipped,
       coalesce(sum(case when r.kept and not r.skipped and not r.unfinished
                         then (select count(*) from "app".idembox_envelope c where c.cause = r.arrival and c.revision = 0) end), 0) as effects
  from (select m.arrival, m.kept, m.skipped, exists (
       select 1
         from (values ('RECEIVED'), ('WAITING'), ('FAILED_RETRYABLE'), ('FAILED_TERMINAL'), ('PARKED'), ('DISCARDED'))
              as s (state)
        where (
              select e.generation
                from "app".idembox_entry e
               where e.consumer_id = m.consumer_id
                 and e.state = s.state
                 and e.arrival = m.arrival)
                          = 0) as unfinished
          from (
select l.arrival, l.consumer_id, b.message_key, b.arrival is not null as kept, cast(null as bigint) as original,
       coalesce((select o.attempts from "app".idembox_outcome o where o.arrival = l.arrival) = 0, false) as skipped
  from "app".idembox_ledger l
  left join "app".idembox_envelope b
    on b.arrival = l.arrival
   and b.revision = 0
 where l.consumer_id = ?
   and l.received_at >= coalesce(cast(? as timestamptz), '-infinity')
   and l.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
   and (l.arrival % 2 = 0 or not exists (
       select 1
         from "app".idembox_envelope w
        where w.arrival = l.arrival - 1
          and w.revision = 0
          and w.consumer_id = l.consumer_id))
 union all
select b.arrival, b.consumer_id, b.message_key, true, b.original, false
  from "app".idembox_envelope b
  join "app".idembox_outcome o
    on o.arrival = b.arrival
 where b.consumer_id = ?
   and b.original is not null
   and b.revision = 0
   and b.received_at >= coalesce(cast(? as timestamptz), '-infinity')
   and b.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
               ) m
        offset 0) r   -- else each count looks for the entry by itself

-- CLOSE_DOOR
select pg_advisory_xact_lock((cast(cast(cast('"app".idembox_ledger' as regclass) as oid) as bigint) << 32) | cast(? as bigint))

-- COUNT_AWAITED
select count(*) as awaited
  from "app".idembox_entry
 where consumer_id = ?
   and state in ('RECEIVED', 'FAILED_RETRYABLE')
   and owner = 'REDELIVERY'

-- BOUND_WAITS
select set_config('lock_timeout', ?, true)

-- COUNT_LEFT_OUT
select count(*) as left_out
  from "app".idembox_entry e
 where e.consumer_id = ?
   and e.generation > 0
   and e.state <> 'DISCARDED'
   and not
       exists (
       select 1
         from (values (1)) as one (row)
         left join "app".idembox_envelope b
           on b.arrival = e.arrival
          and b.revision = 0
        cross join lateral (
              select coalesce(b.received_at, (
                     select l.received_at
                       from "app".idembox_ledger l
                      where l.consumer_id = e.consumer_id
                        and l.source_id = coalesce(b.source_id, e.source_id)
                        and l.id = coalesce(b.id, e.id))) as received_at
              offset 0) t   -- looked up once
        where t.received_at >= coalesce(cast(? as timestamptz), '-infinity')
          and t.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
       )

-- LOCK_REPLAYED_KEYS
insert into "app".idembox_key as k (consumer_id, name, key_id)
select ?, n.name, nextval('"app".idembox_key_number')
  from (select u.name
          from (select m.message_key as name
                  from (
select l.arrival, l.consumer_id, b.message_key, b.arrival is not null as kept, cast(null as bigint) as original,
       coalesce((select o.attempts from "app".idembox_outcome o where o.arrival = l.arrival) = 0, false) as skipped
  from "app".idembox_ledger l
  left join "app".idembox_envelope b
    on b.arrival = l.arrival
   and b.revision = 0
 where l.consumer_id = ?
   and l.received_at >= coalesce(cast(? as timestamptz), '-infinity')
   and l.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
   and (l.arrival % 2 = 0 or not exists (
       select 1
         from "app".idembox_envelope w
        where w.arrival = l.arrival - 1
          and w.revision = 0
          and w.consumer_id = l.consumer_id))
 union all
select b.arrival, b.consumer_id, b.message_key, true, b.original, false
  from "app".idembox_envelope b
  join "app".idembox_outcome o
    on o.arrival = b.arrival
 where b.consumer_id = ?
   and b.original is not null
   and b.revision = 0
   and b.received_at >= coalesce(cast(? as timestamptz), '-infinity')
   and b.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
                       ) m
                 where m.message_key is not null
                 union
                select (select q.name from "app".idembox_key q where q.key_id = e.key_id)
                  from "app".idembox_entry e
                 where e.consumer_id = ?
                   and e.generation > 0
                   and e.key_id is not null) u
         order by u.name collate "C") n
    on conflict (consumer_id, name) do update set name = k.name

-- TAKE_LEASES
delete from "app".idembox_lease
 where consumer_id = ?

-- WITHDRAW_EARLIER
delete from "app".idembox_entry e
 where e.consumer_id = ?
   and e.generation > 0
   and
       exists (
       select 1
         from (values (1)) as one (row)
         left join "app".idembox_envelope b
           on b.arrival = e.arrival
          and b.revision = 0
        cross join lateral (
              select coalesce(b.received_at, (
                     select l.received_at
                       from "app".idembox_ledger l
                      where l.consumer_id = e.consumer_id
                        and l.source_id = coalesce(b.source_id, e.source_id)
                        and l.id = coalesce(b.id, e.id))) as received_at
              offset 0) t   -- looked up once
        where t.received_at >= coalesce(cast(? as timestamptz), '-infinity')
          and t.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
       )

-- CANCEL_EARLIER
update "app".idembox_campaign
   set state = 'CANCELLED',
       note = 'A later replay took its place.',
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
 where consumer_id = ?
   and generation is not null
   and state in ('RUNNING', 'STOPPED')

-- NEXT_GENERATION
select coalesce(max(u.generation), 0) + 1 as generation
  from (select max(c.generation) as generation
          from "app".idembox_campaign c
         where c.consumer_id = ?
         union all
        select max(e.generation)
          from "app".idembox_entry e
         where e.consumer_id = ?
           and e.generation > 0
         union all
        select max(p.generation)
          from "app".idembox_sequence p
         where p.consumer_id = ?) u

-- BRING_BACK
insert into "app".idembox_entry (arrival, consumer_id, generation, failures, crashes, releases, forgiven, state, owner, key_id,
       original, reason)
select m.arrival, m.consumer_id, cast(? as int), 0, 0, 0,
       (select max(a.number) from "app".idembox_attempt a where a.arrival = m.arrival), 'WAITING', 'REPLAY',
       case when cast(? as boolean) and m.original is null
            then (select k.key_id from "app".idembox_key k where k.consumer_id = m.consumer_id and k.name = m.message_key)
       end, m.original, 'REPLAY'
  from (
select l.arrival, l.consumer_id, b.message_key, b.arrival is not null as kept, cast(null as bigint) as original,
       coalesce((select o.attempts from "app".idembox_outcome o where o.arrival = l.arrival) = 0, false) as skipped
  from "app".idembox_ledger l
  left join "app".idembox_envelope b
    on b.arrival = l.arrival
   and b.revision = 0
 where l.consumer_id = ?
   and l.received_at >= coalesce(cast(? as timestamptz), '-infinity')
   and l.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
   and (l.arrival % 2 = 0 or not exists (
       select 1
         from "app".idembox_envelope w
        where w.arrival = l.arrival - 1
          and w.revision = 0
          and w.consumer_id = l.consumer_id))
 union all
select b.arrival, b.consumer_id, b.message_key, true, b.original, false
  from "app".idembox_envelope b
  join "app".idembox_outcome o
    on o.arrival = b.arrival
 where b.consumer_id = ?
   and b.original is not null
   and b.revision = 0
   and b.received_at >= coalesce(cast(? as timestamptz), '-infinity')
   and b.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
       ) m
 where m.kept
   and not m.skipped
   and not exists (
       select 1
         from (values ('RECEIVED'), ('WAITING'), ('FAILED_RETRYABLE'), ('FAILED_TERMINAL'), ('PARKED'), ('DISCARDED'))
              as s (state)
        where (
              select e.generation
                from "app".idembox_entry e
               where e.consumer_id = m.consumer_id
                 and e.state = s.state
                 and e.arrival = m.arrival)
              is not null)
 order by m.arrival

-- READ_REPLAYED
select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
       b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
       (select p.reached from "app".idembox_sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
  from "app".idembox_entry e
 cross join lateral (
       select *
         from "app".idembox_body r
        where r.arrival = e.arrival
        order by r.revision desc
        limit 1) b
  join "app".idembox_source s
    on s.source_id = b.source_id
 where e.consumer_id = ?
   and e.generation = ?
   and e.arrival > ?
 order by e.arrival
 limit ?

-- PLACE_REPLAYED
update "app".idembox_entry e
   set sequence_no = a.sequence_no
  from unnest(cast(? as bigint[]), cast(? as bigint[])) as a(arrival, sequence_no)
 where e.consumer_id = ?
   and e.state = 'WAITING'
   and e.arrival = a.arrival
   and e.generation = ?

-- PUT_BEHIND
update "app".idembox_entry e
   set state = 'WAITING',
       due_at = null
 where e.consumer_id = ?
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
   and e.generation = 0
   and e.owner = 'INBOX'
   and (
       select r.generation
         from "app".idembox_entry r
        where r.key_id = e.key_id
          and r.generation = ?
        limit 1) is not null

-- REPEAT_STEPS
delete from "app".idembox_step s
 using "app".idembox_entry e
 where e.consumer_id = ?
   and s.arrival = e.arrival
   and
       exists (
       select 1
         from (values (1)) as one (row)
         left join "app".idembox_envelope b
           on b.arrival = e.arrival
          and b.revision = 0
        cross join lateral (
              select coalesce(b.received_at, (
                     select l.received_at
                       from "app".idembox_ledger l
                      where l.consumer_id = e.consumer_id
                        and l.source_id = coalesce(b.source_id, e.source_id)
                        and l.id = coalesce(b.id, e.id))) as received_at
              offset 0) t   -- looked up once
        where t.received_at >= coalesce(cast(? as timestamptz), '-infinity')
          and t.received_at < coalesce(cast(? as timestamptz), 'infinity')
   and coalesce(coalesce(b.event_type, '') = cast(? as text), true)
   and coalesce(coalesce(b.message_key, '') = cast(? as text), true)
       )

-- BEGIN_REPLAY
update "app".idembox_campaign
   set generation = ?,
       total = ?,
       steps = ?
 where campaign_id = ?

-- FIND_HELD
select arrival
  from "app".idembox_entry
 where consumer_id = ?
   and generation = ?
   and owner = 'REPLAY'
   and state = 'WAITING'
 order by arrival
 limit ?

-- LET_GO
update "app".idembox_entry
   set owner = 'INBOX',
       state = case when key_id is null then 'RECEIVED' else state end
 where consumer_id = ?
   and state = 'WAITING'
   and arrival = any (?)
   and generation = ?
   and owner = 'REPLAY'
returning arrival, key_id

-- WITHDRAW_HELD
delete from "app".idembox_entry
 where consumer_id = ?
   and generation = ?
   and owner = 'REPLAY'
   and state = 'WAITING'
returning arrival, key_id

-- COUNT_LEFT
select count(*) as unfinished
  from "app".idembox_entry
 where consumer_id = ?
   and generation = ?
   and state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE')

-- FORGET_POSITIONS
delete from "app".idembox_sequence p
 where p.consumer_id = ?
   and p.generation between 1 and ?
   and (
       select e.generation
         from "app".idembox_entry e
        where e.key_id = p.key_id
          and e.generation = p.generation
        limit 1) is null

-- FIND_CONSUMER
select c.consumer_id, f.name as first_name
  from "app".idembox_consumer c
  join "app".idembox_consumer f
    on f.consumer_id = c.consumer_id
   and not f.alias
 where c.name = ?

-- INSERT_CONSUMER
insert into "app".idembox_consumer (name, consumer_id, alias)
values (?, ?, false)
    on conflict do nothing

-- INSERT_ALIAS
insert into "app".idembox_consumer (name, consumer_id, alias)
values (?, ?, true)
    on conflict do nothing

-- FIND_ORDERING
select ordering
  from "app".idembox_consumer
 where consumer_id = ?
   and not alias

-- REPLACE_ORDERING
update "app".idembox_consumer
   set ordering = ?
 where consumer_id = ?
   and not alias
   and ordering is not distinct from ?

-- FIND_SOURCE
select source_id
  from "app".idembox_source
 where name = ?

-- INSERT_SOURCE
insert into "app".idembox_source (name, source_id)
values (?, ?)
    on conflict do nothing

-- INSERT_TALLY
insert into "app".idembox_receipt_count (consumer_id, minute_start, node, completed, duplicates, skipped, stored, busy, failed,
       refused)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- FIND_VERSION
select max(version)
  from "app".idembox_schema

-- FIND_PROBE
select count(*)
  from "app".idembox_ledger
 where consumer_id = 0
   and source_id = 0
   and id = ?

-- what a filter may ask for: SOURCE
and s.name = cast(? as varchar)

-- what a filter may ask for: KEY
and coalesce(b.message_key, k.name) = cast(? as varchar)

-- what a filter may ask for: TYPE
and coalesce(b.event_type = cast(? as varchar), false)

-- what a filter may ask for: ERROR_CLASS
and e.error_class = cast(? as varchar)

-- what a filter may ask for: ERROR_CONTAINS
and (lower(e.error_class) like lower(cast(? as varchar)) escape '!' or lower(e.error) like lower(cast(? as varchar)) escape '!')

-- what a filter may ask for: REASON
and e.reason = cast(? as varchar)

-- what a filter may ask for: GROUP
and coalesce(e.failure_group, cast(encode(substring(sha256(convert_to(coalesce(e.error_class, e.reason), 'UTF8')) from 1 for 16), 'hex') as uuid)) = cast(? as uuid)

-- what a filter may ask for: RECEIVED_AFTER
and coalesce(l.received_at, b.received_at, e.changed_at) >= cast(? as timestamptz)

-- what a filter may ask for: RECEIVED_BEFORE
and coalesce(l.received_at, b.received_at, e.changed_at) < cast(? as timestamptz)

-- what a filter may ask for: ATTEMPTS_AT_LEAST
and coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases >= cast(? as int)

-- what a filter may ask for: ATTEMPTS_AT_MOST
and coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases <= cast(? as int)
