-- INSERT_MARKS
set transaction isolation level read committed;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true);
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
select (select nextval('"app".idembox_arrival')) * 2048 + m.slot,
       (select coalesce(cast(? as timestamptz), clock_timestamp())),
       m.variant, ?, m.source_id, 'D', m.id
  from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]))
    as m(slot, source_id, id, variant)
    on conflict do nothing
returning arrival;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
savepoint idembox_batch

-- INSERT_ONE_MARK
set transaction isolation level read committed;
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true);
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
values (nextval('"app".idembox_arrival') * 2048 + ?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, 'D', ?)
    on conflict do nothing
returning arrival;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
savepoint idembox_batch

-- INSERT_MARKS_AND_BODIES
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
savepoint idembox_batch

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
savepoint idembox_batch

-- INSERT_MARK
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
values (?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, ?, ?)
    on conflict do nothing

-- INSERT_RECEIVED
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner)
values (?, ?, 0, 0, 0, 'RECEIVED', 'INBOX')

-- NEXT_ARRIVAL
select nextval('"app".idembox_arrival') * 2048

-- BOUND_THE_WAIT
select set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
       set_config('lock_timeout', ?, true);

-- UNBOUND_THE_WAIT
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);

-- FIND
select set_config('idembox.enable_seqscan', current_setting('enable_seqscan'), true),
       set_config('enable_seqscan', 'off', true);
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
  left join "app".idembox_entry e
    on e.consumer_id = l.consumer_id
   and e.arrival = l.arrival
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
  left join "app".idembox_outcome o
    on o.arrival = l.arrival;
select set_config('enable_seqscan', current_setting('idembox.enable_seqscan'), true)

-- TAKE
select failures, crashes, releases
  from "app".idembox_entry
 where consumer_id = ?
   and state = 'FAILED_RETRYABLE'
   and arrival = ?
   and owner = 'REDELIVERY'
   for update

-- INSERT_BODY
insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
       message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id,
       original, variant)
values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict do nothing

-- INSERT_ENTRY
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, original,
       source_id, id, reason, error_kind, error_class, sql_state, error, due_at, changed_at)
values (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()), coalesce(cast(? as timestamptz), clock_timestamp()))

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
values (?, ?, ?, ?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, ?, ?, ?, ?)

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
       set_config('enable_bitmapscan', 'off', true),
       set_config('synchronous_commit', 'off', true);
select consumer_id from "app".idembox_consumer where consumer_id = ? and not alias for update;
with leased as materialized (
     select unnest(l.arrivals) as arrival
       from "app".idembox_lease l
      where l.consumer_id = ?),
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
        and not exists (select 1 from "app".idembox_lease l where l.consumer_id = e.consumer_id and l.alone)
      order by e.due_at
      limit 1),
chosen as (
     select a.arrival, (row_number() over (order by a.arrival) - 1) / ? as batch
       from (select arrival from due union all select arrival from fresh limit ?) a)
insert into "app".idembox_lease (token, consumer_id, claimed_at, lease_until, alone, node, arrivals)
select (cast(? as uuid[]))[c.batch + 1], cast(? as int), coalesce(cast(? as timestamptz), clock_timestamp()), cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()), false, cast(? as varchar),
       array_agg(c.arrival order by c.arrival)
  from chosen c
 group by c.batch
union all
select cast(? as uuid), cast(? as int), coalesce(cast(? as timestamptz), clock_timestamp()), cast(? as bigint) * interval '1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()), true, cast(? as varchar), array[s.arrival]
  from suspect s
returning token, alone, arrivals;
commit

-- GATE is not needed here

-- FIND_LEASED is not needed here

-- FIND_DUE is not needed here

-- INSERT_LEASE is not needed here

-- LOAD
select set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);
select e.arrival, e.state, e.owner, e.failures, e.crashes, e.releases, e.key_id, s.name as source, b.id,
       b.full_id, b.event_type, b.event_version, b.message_key, b.headers, b.payload, b.content_type,
       b.sent_at, b.channel, b.partition_no, b.offset_no
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
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
   and e.arrival = any (?)
 order by e.arrival;
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

-- FIND_LEASES
select token
  from "app".idembox_lease
 where token = any (?)

-- RELEASE_ENTRIES
update "app".idembox_entry
   set releases = case when releases < 30000 then releases + 1 else releases end
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
            changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
       from held h
      where e.consumer_id = h.consumer_id
        and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
        and e.arrival = h.arrival
     returning e.arrival, e.key_id, e.crashes, e.failures + e.crashes + e.releases as number, e.state,
               e.error_kind, e.error, h.node, h.claimed_at, e.changed_at),
told as (
     insert into "app".idembox_attempt (arrival, number, node, started_at, ended_at, outcome, error_kind, error_class,
            error)
     select arrival, number, node, claimed_at, changed_at, state, error_kind, 'LeaseExpired', error
       from crashed)
select arrival, crashes, state, key_id
  from crashed
 order by arrival

-- FIND_EXPIRED is not needed here

-- CRASH_ENTRY is not needed here

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
select k.name, k.key_id, f.arrival, f.owner
  from "app".idembox_key k
  left join lateral (
       select e.arrival, e.owner
         from "app".idembox_entry e
        where e.key_id = k.key_id
          and e.state = any (?)
        order by e.arrival
        limit 1) f
    on true
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

-- INSERT_KEYED
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id)
values (?, ?, 0, 0, 0, ?, 'INBOX', ?)

-- PROMOTE
update "app".idembox_entry e
   set state = 'RECEIVED'
  from unnest(cast(? as bigint[])) as k(key_id)
 cross join lateral (
       select w.arrival, w.state
         from "app".idembox_entry w
        where w.key_id = k.key_id
          and w.state = any (?)
        order by w.arrival
        limit 1) f
 where f.state = 'WAITING'
   and e.consumer_id = ?
   and e.state = 'WAITING'
   and e.arrival = f.arrival
   and not exists (
       select 1
         from "app".idembox_entry a
        where a.key_id = k.key_id
          and a.state in ('RECEIVED', 'FAILED_RETRYABLE'))

-- BEGIN_STEP
set transaction isolation level read committed;
select set_config('lock_timeout', ?, true);
savepoint idembox_batch

-- FIND_STEPS
select name, result, result_type
  from "app".idembox_step
 where arrival = ?

-- LOCK_LEASE is not needed here

-- INSERT_STEP
with ours as materialized (
     select token
       from "app".idembox_lease
      where token = ?
        for update)
insert into "app".idembox_step (arrival, name, finished_at, node, result, result_type)
select cast(? as bigint), cast(? as varchar), coalesce(cast(? as timestamptz), clock_timestamp()), cast(? as varchar), cast(? as bytea), cast(? as varchar)
  from ours

-- PURGE
with old as materialized (
     select l.consumer_id, l.source_id, l.id, l.arrival
       from "app".idembox_ledger l
      where l.consumer_id = ?
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
               and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
               and (e.state <> 'DISCARDED' or e.changed_at >= (select cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()))))
        and not exists (
            select 1
              from "app".idembox_entry c
             where c.original = l.arrival
               and (c.state <> 'DISCARDED' or c.changed_at >= (select cast(? as bigint) * interval '-1 microsecond' + coalesce(cast(? as timestamptz), clock_timestamp()))))
      limit ?
        for update skip locked),
gone as (
     delete from "app".idembox_ledger l
      using old
      where l.consumer_id = old.consumer_id
        and l.source_id = old.source_id
        and l.id = old.id
        and l.arrival = old.arrival
     returning l.consumer_id, l.arrival),
discarded as (
     delete from "app".idembox_entry e
      using gone
      where e.consumer_id = gone.consumer_id
        and e.state = 'DISCARDED'
        and (e.arrival = gone.arrival or e.original = gone.arrival)),
bodies as (
     delete from "app".idembox_body b
      using gone
      where b.arrival = gone.arrival),
conflicts as (
     delete from "app".idembox_body b
      using gone
      where b.original = gone.arrival),
attempts as (
     delete from "app".idembox_attempt a
      using gone
      where a.arrival = gone.arrival),
steps as (
     delete from "app".idembox_step s
      using gone
      where s.arrival = gone.arrival),
outcomes as (
     delete from "app".idembox_outcome o
      using gone
      where o.arrival = gone.arrival)
select count(*)
  from gone

-- FIND_OLD is not needed here

-- FORGET_MARK is not needed here

-- FORGET_ENTRY is not needed here

-- FORGET_BODY is not needed here

-- FORGET_ATTEMPTS is not needed here

-- FORGET_STEPS is not needed here

-- FORGET_OUTCOME is not needed here

-- FIND_CONSUMER
select c.consumer_id, f.name as first_name
  from "app".idembox_consumer c
  join "app".idembox_consumer f
    on f.consumer_id = c.consumer_id
   and not f.alias
 where c.name = ?

-- INSERT_CONSUMER
insert into "app".idembox_consumer (name, consumer_id, alias)
values (?, nextval('"app".idembox_number'), false)
    on conflict do nothing

-- INSERT_ALIAS
insert into "app".idembox_consumer (name, consumer_id, alias)
values (?, ?, true)
    on conflict do nothing

-- FIND_SOURCE
select source_id
  from "app".idembox_source
 where name = ?

-- INSERT_SOURCE
insert into "app".idembox_source (name, source_id)
values (?, nextval('"app".idembox_number'))
    on conflict do nothing

-- INSERT_TALLY
insert into "app".idembox_tally (consumer_id, minute_start, node, completed, duplicates, stored, busy, failed, refused)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- FIND_VERSION
select max(version)
  from "app".idembox_schema

-- FIND_PROBE
select count(*)
  from "app".idembox_ledger
 where consumer_id = 0
   and source_id = 0
   and id = ?
