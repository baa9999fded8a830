-- INSERT_MARKS is not needed here

-- INSERT_ONE_MARK is not needed here

-- INSERT_MARKS_AND_BODIES is not needed here

-- INSERT_STORED is not needed here

-- INSERT_MARK
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
values (?, ?, ?, ?, ?, ?, ?)

-- INSERT_RECEIVED
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner)
values (?, ?, 0, 0, 0, 'RECEIVED', 'INBOX')

-- NEXT_ARRIVAL
select next value for "app".idembox_arrival * 2048

-- BOUND_THE_WAIT
set lock_timeout ?

-- UNBOUND_THE_WAIT is not needed here

-- FIND
select cast(? as int) as slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class,
       e.sql_state, e.error,
       o.result, o.result_type
  from "app".idembox_ledger l
  left join "app".idembox_entry e
    on e.consumer_id = l.consumer_id
   and e.arrival = l.arrival
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
  left join "app".idembox_outcome o
    on o.arrival = l.arrival
 where l.consumer_id = ?
   and l.source_id = ?
   and l.id = ?

-- TAKE
select failures, crashes, releases
  from "app".idembox_entry
 where consumer_id = ?
   and state = 'FAILED_RETRYABLE'
   and arrival = ?
   and owner = 'REDELIVERY'
   for update nowait

-- INSERT_BODY
insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
       message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id,
       original, variant)
values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- INSERT_ENTRY
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, original,
       source_id, id, reason, error_kind, error_class, sql_state, error, due_at, changed_at)
values (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, dateadd('MICROSECOND', cast(? as bigint), cast(? as timestamp(6) with time zone)), ?)

-- ADOPT_ENTRY
update "app".idembox_entry
   set owner = 'INBOX',
       due_at = ?
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
       due_at = dateadd('MICROSECOND', cast(? as bigint), cast(? as timestamp(6) with time zone)),
       changed_at = ?
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
       changed_at = ?
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
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- INSERT_OUTCOMES
insert into "app".idembox_outcome (arrival, settled_at, attempts)
select a.arrival, ?, cast(? as int)
  from unnest(cast(? as bigint array)) as a(arrival)

-- INSERT_OUTCOME
insert into "app".idembox_outcome (arrival, settled_at, attempts, result, result_type)
values (?, ?, ?, ?, ?)

-- UNRECORD_MARK
delete from "app".idembox_ledger
 where consumer_id = ?
   and source_id = ?
   and id = ?
   and arrival = ?

-- UNRECORD_BODY
delete from "app".idembox_body
 where arrival = ?

-- CLAIM is not needed here

-- GATE
select consumer_id
  from "app".idembox_consumer
 where consumer_id = ?
   and not alias
   for update

-- FIND_LEASED
select arrivals, alone
  from "app".idembox_lease
 where consumer_id = ?

-- FIND_DUE
select arrival, crashes
  from "app".idembox_entry
 where consumer_id = ?
   and owner = 'INBOX'
   and (state = 'FAILED_RETRYABLE' and due_at <= ? or state = 'RECEIVED')
 order by due_at nulls last, arrival

-- INSERT_LEASE
insert into "app".idembox_lease (token, consumer_id, claimed_at, lease_until, alone, node, arrivals)
values (?, ?, ?, dateadd('MICROSECOND', cast(? as bigint), cast(? as timestamp(6) with time zone)), ?, ?, ?)

-- LOAD
select e.arrival, e.state, e.owner, e.failures, e.crashes, e.releases, e.key_id, s.name as source, b.id,
       b.full_id, b.event_type, b.event_version, b.message_key, b.headers, b.payload, b.content_type,
       b.sent_at, b.channel, b.partition_no, b.offset_no
  from "app".idembox_entry e
  join "app".idembox_body b
    on b.arrival = e.arrival
   and b.revision = (select max(r.revision) from "app".idembox_body r where r.arrival = e.arrival)
  join "app".idembox_source s
    on s.source_id = b.source_id
 where e.consumer_id = ?
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
   and e.arrival = any (?)
 order by e.arrival

-- END_LEASE
delete from "app".idembox_lease
 where token = ?

-- SHRINK_LEASE
update "app".idembox_lease
   set arrivals = ?
 where token = ?

-- RENEW_LEASES
update "app".idembox_lease
   set lease_until = dateadd('MICROSECOND', cast(? as bigint), cast(? as timestamp(6) with time zone))
 where token = ?

-- FIND_LEASES is not needed here

-- RELEASE_ENTRIES
update "app".idembox_entry
   set releases = case when releases < 30000 then releases + 1 else releases end
 where consumer_id = ?
   and state in ('RECEIVED', 'FAILED_RETRYABLE')
   and arrival = any (?)

-- REAP is not needed here

-- FIND_EXPIRED
select token, node, claimed_at, arrivals
  from "app".idembox_lease
 where consumer_id = ?
   and lease_until < ?
   for update

-- CRASH_ENTRY
update "app".idembox_entry
   set crashes = crashes + 1,
       state = case when crashes + 1 >= 3 then 'PARKED' else 'FAILED_RETRYABLE' end,
       reason = case when crashes + 1 >= 3 then 'CRASH' else 'LEASE_EXPIRED' end,
       due_at = case when crashes + 1 < 3 and owner = 'INBOX' then cast(? as timestamp(6) with time zone) end,
       error_kind = case when crashes + 1 >= 3 then 'PARK' else 'TRANSIENT' end,
       error_class = 'LeaseExpired',
       sql_state = null,
       error = ?,
       changed_at = ?
 where consumer_id = ?
   and state in ('RECEIVED', 'FAILED_RETRYABLE')
   and arrival = ?

-- FIND_CRASHED
select crashes, failures + crashes + releases as number, state, key_id
  from "app".idembox_entry
 where consumer_id = ?
   and state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
   and arrival = ?

-- LOCK_KEYS is not needed here

-- INSERT_KEY
insert into "app".idembox_key (consumer_id, name, key_id)
values (?, ?, next value for "app".idembox_key_number)

-- LOCK_KEY
select key_id
  from "app".idembox_key
 where consumer_id = ?
   and name = ?
   for update

-- FIND_FIRST
select arrival, owner, state
  from "app".idembox_entry
 where key_id = ?
   and state = any (?)
 order by arrival
 limit 1

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
 where e.consumer_id = ?
   and e.state = 'WAITING'
   and e.arrival = ?
   and not exists (
       select 1
         from "app".idembox_entry a
        where a.key_id = e.key_id
          and a.state in ('RECEIVED', 'FAILED_RETRYABLE'))

-- BEGIN_STEP is not needed here

-- FIND_STEPS
select name, result, result_type
  from "app".idembox_step
 where arrival = ?

-- LOCK_LEASE
select token
  from "app".idembox_lease
 where token = ?
   for update

-- INSERT_STEP
insert into "app".idembox_step (arrival, name, finished_at, node, result, result_type)
values (?, ?, ?, ?, ?, ?)

-- PURGE is not needed here

-- FIND_OLD
select l.source_id, l.id, l.arrival
  from "app".idembox_ledger l
 where l.consumer_id = ?
   and l.received_at < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
   and not exists (
       select 1 from "app".idembox_outcome o where o.arrival = l.arrival and o.settled_at >= dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone)))
   and not exists (
       select 1
         from "app".idembox_entry e
        where (e.arrival = l.arrival or e.original = l.arrival)
          and (e.state <> 'DISCARDED' or e.changed_at >= dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))))
 limit ?
   for update

-- FORGET_MARK
delete from "app".idembox_ledger
 where consumer_id = ?
   and source_id = ?
   and id = ?
   and arrival = ?

-- FORGET_ENTRY
delete from "app".idembox_entry
 where (arrival = ? or original = ?)
   and state = 'DISCARDED'

-- FORGET_BODY
delete from "app".idembox_body
 where arrival = ? or original = ?

-- FORGET_ATTEMPTS
delete from "app".idembox_attempt
 where arrival = ?

-- FORGET_STEPS
delete from "app".idembox_step
 where arrival = ?

-- FORGET_OUTCOME
delete from "app".idembox_outcome
 where arrival = ?

-- FIND_CONSUMER
select c.consumer_id, f.name as first_name
  from "app".idembox_consumer c
  join "app".idembox_consumer f
    on f.consumer_id = c.consumer_id
   and not f.alias
 where c.name = ?

-- INSERT_CONSUMER
insert into "app".idembox_consumer (name, consumer_id, alias)
values (?, next value for "app".idembox_number, false)

-- INSERT_ALIAS
insert into "app".idembox_consumer (name, consumer_id, alias)
values (?, ?, true)

-- FIND_SOURCE
select source_id
  from "app".idembox_source
 where name = ?

-- INSERT_SOURCE
insert into "app".idembox_source (name, source_id)
values (?, next value for "app".idembox_number)

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
