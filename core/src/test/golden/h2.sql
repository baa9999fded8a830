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

-- NEXT_ARRIVAL_AND_KNOWN is not needed here

-- BOUND_THE_WAIT
set lock_timeout ?

-- UNBOUND_THE_WAIT is not needed here

-- ENTER is not needed here

-- FIND
select cast(? as int) as slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class,
       e.sql_state, e.error,
       o.result, o.result_type
  from "app".idembox_ledger l
  left join "app".idembox_entry e
    on e.consumer_id = l.consumer_id
   and e.arrival = l.arrival
   and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
   and e.generation = 0
  left join "app".idembox_outcome o
    on o.arrival = l.arrival
 where l.consumer_id = ?
   and l.source_id = ?
   and l.id = ?

-- TAKE
select failures, crashes, releases, coalesce(forgiven, 0) as forgiven
  from "app".idembox_entry
 where consumer_id = ?
   and state = 'FAILED_RETRYABLE'
   and arrival = ?
   and owner = 'REDELIVERY'
   for update nowait

-- INSERT_BODY
insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type,
       message_key, headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id,
       original, variant, received_at)
values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
       case when cast(? as boolean) then cast(? as timestamp(6) with time zone) end)

-- INSERT_ENTRY
insert into "app".idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, sequence_no,
       original, source_id, id, reason, error_kind, error_class, sql_state, error, failure_group, due_at,
       changed_at)
values (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, dateadd('MICROSECOND', cast(? as bigint), cast(? as timestamp(6) with time zone)), ?)

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
       failure_group = ?,
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
       failure_group = ?,
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
values (?, ?, ?, dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone)), ?, ?, ?, ?, ?, ?, ?, ?)

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
select paused_at
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
 order by case when crashes < 2 then 1 else 0 end, due_at nulls last, arrival

-- INSERT_LEASE
insert into "app".idembox_lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)
values (?, next value for "app".idembox_lease_number, ?, ?, dateadd('MICROSECOND', cast(? as bigint), cast(? as timestamp(6) with time zone)), ?, ?, ?)

-- LOAD
select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
       b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
       (select p.reached from "app".idembox_sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
  from "app".idembox_entry e
  left join "app".idembox_body b
    on b.arrival = e.arrival
   and b.revision = (select max(r.revision) from "app".idembox_body r where r.arrival = e.arrival)
  left join "app".idembox_source s
    on s.source_id = b.source_id
 where e.consumer_id = ?
   and e.state in ('RECEIVED', 'FAILED_RETRYABLE')
   and e.arrival = any (?)
   and exists (select 1 from "app".idembox_lease h where h.token = ?)
 order by e.arrival

-- LOAD_EXTENDED is not needed here

-- EXTEND_LEASE
select e.arrival, e.state, e.owner, e.generation, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven,
       e.key_id, e.sequence_no, s.name as source, coalesce(b.source_id, e.source_id) as source_id, coalesce(b.id, e.id) as id, b.full_id, b.event_type, b.event_version, b.message_key, b.headers,
       b.payload, b.content_type, b.sent_at, b.channel, b.partition_no, b.offset_no, b.variant as conflict,
       (select p.reached from "app".idembox_sequence p where p.key_id = e.key_id and p.generation = e.generation) as reached
  from "app".idembox_entry e
  left join "app".idembox_body b
    on b.arrival = e.arrival
   and b.revision = (select max(r.revision) from "app".idembox_body r where r.arrival = e.arrival)
  left join "app".idembox_source s
    on s.source_id = b.source_id
 where e.consumer_id = ?
   and e.key_id = ?
   and e.state = 'WAITING'
   and e.sequence_no is null
   and e.arrival > ?
   and e.arrival < coalesce((
       select min(p.arrival)
         from "app".idembox_entry p
        where p.key_id = e.key_id
          and p.state = any (?)
          and p.arrival > ?), 9223372036854775807)
 order by e.arrival
 limit ?

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

-- REAP is not needed here

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
  join "app".idembox_body b
    on b.arrival = e.arrival
   and b.revision = (select max(r.revision) from "app".idembox_body r where r.arrival = e.arrival)
  join "app".idembox_source s
    on s.source_id = b.source_id
 where e.consumer_id = ?
   and e.state = 'PARKED'
   and e.arrival = any (?)
 order by e.arrival

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
       failure_group = null,
       changed_at = ?
 where consumer_id = ?
   and state in ('RECEIVED', 'FAILED_RETRYABLE')
   and arrival = ?

-- SUSPECT_ENTRY
update "app".idembox_entry
   set crashes = least(crashes + 1, 2),
       changed_at = ?
 where consumer_id = ?
   and state = 'WAITING'
   and arrival = ?

-- FIND_CRASHED
select crashes, coalesce(forgiven, 0) + failures + crashes + releases as number, state, key_id, sequence_no,
       generation
  from "app".idembox_entry
 where consumer_id = ?
   and state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
   and arrival = ?

-- LOCK_KEYS is not needed here

-- LOCK_KEYS_FIRST is not needed here

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
select arrival, state, sequence_no
  from "app".idembox_entry
 where key_id = ?
   and state = any (?)
 order by sequence_no nulls first, arrival
 limit 1

-- RELOCK_KEYS
select key_id
  from "app".idembox_key
 where key_id = any (?)
 order by consumer_id, name
   for update

-- RELOCK_KEYS_WITHIN is not needed here

-- FIND_KEYS_IN_ORDER
select key_id
  from "app".idembox_key
 where key_id = any (?)
 order by consumer_id, name

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
update "app".idembox_entry e
   set state = case when e.crashes < 2 then 'RECEIVED' else 'FAILED_RETRYABLE' end,
       due_at = case when e.crashes >= 2 then e.changed_at end
 where e.consumer_id = ?
   and e.state = 'WAITING'
   and e.arrival = ?
   and (not cast(? as boolean) or e.sequence_no is null or e.sequence_no - 1 <= (
       select p.reached
         from "app".idembox_sequence p
        where p.key_id = e.key_id
          and p.generation = 0))
   and not exists (
       select 1
         from "app".idembox_entry a
        where a.key_id = e.key_id
          and a.state in ('RECEIVED', 'FAILED_RETRYABLE'))

-- ADVANCE
merge into "app".idembox_sequence p
using (select cast(? as int) as generation, cast(? as int) as consumer_id, cast(? as bigint) as key_id,
              cast(? as bigint) as reached) a
   on p.key_id = a.key_id and p.generation = a.generation
 when matched and p.reached < a.reached then update set reached = a.reached
 when not matched then insert (key_id, generation, consumer_id, reached)
      values (a.key_id, a.generation, a.consumer_id, a.reached)

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
                    and w.state = 'WAITING') - 1 > p.reached, false) then coalesce(p.gap_since, cast(? as timestamp(6) with time zone)) end
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
   and p.gap_since < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
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
       changed_at = ?
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
          and p.gap_since < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
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
  join "app".idembox_body b
    on b.arrival = e.arrival
   and b.revision = (select max(r.revision) from "app".idembox_body r where r.arrival = e.arrival)
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
   and p.gap_since < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
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
   set gap_since = ?
 where p.key_id = ?
   and p.generation = 0
   and p.reached = ?
   and p.gap_since < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
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
merge into "app".idembox_partition o
using (select cast(? as int) as consumer_id, cast(? as varchar) as partition_name, cast(? as varchar) as node,
              cast(? as uuid) as token, cast(? as timestamp(6) with time zone) as taken_at) n
   on o.consumer_id = n.consumer_id and o.partition_name = n.partition_name
 when not matched then insert (consumer_id, partition_name, node, token, in_flight, released, taken_at)
      values (n.consumer_id, n.partition_name, n.node, n.token, 0, false, n.taken_at)

-- TAKE_OVER
update "app".idembox_partition
   set node = ?,
       token = ?,
       released = false,
       taken_at = ?
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
select count(*)
  from "app".idembox_partition
 where consumer_id = ?
   and partition_name = ?
   and token = ?

-- FIND_TIMELINE
select ''

-- IS_IN_RECOVERY
select false

-- RELEASE_OWNER
update "app".idembox_partition
   set released = true,
       in_flight = 0
 where consumer_id = ?
   and partition_name = ?
   and token = ?

-- SEND is not needed here

-- SET_CAUSE
update "app".idembox_body
   set cause = ?
 where arrival = ?

-- FIND_SENT
select b.arrival, b.message_key
  from "app".idembox_body b
 where b.cause = any (?)
   and b.consumer_id = ?
   and b.revision = 0
 order by b.arrival

-- LOCK_SENT
select l.arrival
  from "app".idembox_ledger l
 where (l.consumer_id, l.source_id, l.id, l.arrival) in (
       select b.consumer_id, b.source_id, b.id, b.arrival
         from "app".idembox_body b
         join "app".idembox_outcome o
           on o.arrival = b.arrival
        where b.arrival = ?
          and b.revision = 0
          and o.settled_at > dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone)))
   for update

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
select cast(? as timestamp(6) with time zone) as looked_at, t.*,
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

-- COUNT_PAGES is not needed here

-- PURGE is not needed here

-- PURGE_DISCARDED is not needed here

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
   and changed_at < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
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

-- FIND_OLD
select l.source_id, l.id, l.arrival
  from "app".idembox_ledger l
 where l.consumer_id = ?
   and l.received_at < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
   and not exists (
       select 1 from "app".idembox_outcome o where o.arrival = l.arrival and o.settled_at >= dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone)))
   and not exists (
       select 1 from "app".idembox_entry e where e.arrival = l.arrival or e.original = l.arrival)
 limit ?
   for update skip locked

-- FIND_DISCARDED
select e.arrival, e.original,
       coalesce(e.source_id, (select b.source_id from "app".idembox_body b where b.arrival = e.arrival and b.revision = 0))
       as source_id,
       coalesce(e.id, (select b.id from "app".idembox_body b where b.arrival = e.arrival and b.revision = 0)) as id
  from "app".idembox_entry e
 where e.consumer_id = ?
   and e.state = 'DISCARDED'
   and e.changed_at < dateadd('MICROSECOND', -cast(? as bigint), cast(? as timestamp(6) with time zone))
   and not exists (
       select 1 from "app".idembox_entry c where c.original = e.arrival)
 limit ?
   for update skip locked

-- FORGET_MARK
delete from "app".idembox_ledger
 where consumer_id = ?
   and source_id = ?
   and id = ?
   and arrival = ?

-- FORGET_ENTRY
delete from "app".idembox_entry
 where consumer_id = ?
   and state = 'DISCARDED'
   and arrival = ?

-- FORGET_BODY
delete from "app".idembox_body
 where arrival = ? or original = ?

-- FORGET_ATTEMPTS
delete from "app".idembox_attempt
 where arrival = ?
    or arrival in (select b.arrival from "app".idembox_body b where b.original = ?)

-- FORGET_STEPS
delete from "app".idembox_step
 where arrival = ?
    or arrival in (select b.arrival from "app".idembox_body b where b.original = ?)

-- FORGET_OUTCOME
delete from "app".idembox_outcome
 where arrival = ?
    or arrival in (select b.arrival from "app".idembox_body b where b.original = ?)

-- FIND_CONSUMERS
select name
  from "app".idembox_consumer
 where not alias
 order by name

-- FIND_MESSAGE
select l.arrival, l.received_at, o.settled_at, o.attempts as settled_attempts, l.id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) as failure_group
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
   and array_contains(h.arrivals, e.arrival)
 where l.consumer_id = ?
   and l.source_id = coalesce((select n.source_id from "app".idembox_source n where n.name = ?), ?)
   and l.id = ?

-- FIND_PAYLOAD
select revision, event_type, event_version, headers, payload, content_type
  from "app".idembox_body
 where arrival = ?
   and (cast(? as bigint) is null or revision = cast(? as bigint))
 order by revision desc
 limit 1

-- FIND_ARRIVALS
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
select l.arrival
  from "app".idembox_ledger l
 where l.consumer_id = ?
   and l.id = ?
 union all
select b.arrival
  from "app".idembox_ledger l
  join "app".idembox_envelope b
    on b.original = l.arrival
 where l.consumer_id = ?
   and l.id = ?

-- LOOK
select r.*
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamp(6) with time zone) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) as failure_group
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
   and array_contains(h.arrivals, e.arrival)
 where (case when h.token is null then array_contains(cast(? as varchar array), e.state)
        else cast(? as boolean) and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING') end)
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) r
 order by r.arrival
 limit ?

-- LOOK_KEY
select r.*
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamp(6) with time zone) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) as failure_group
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
   and array_contains(h.arrivals, e.arrival)
 where (case when h.token is null then array_contains(cast(? as varchar array), e.state)
        else cast(? as boolean) and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING') end)
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) r
 order by r.arrival
 limit ?

-- COUNT
select count(*) as matching
  from (
select r.arrival
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamp(6) with time zone) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) as failure_group
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
   and array_contains(h.arrivals, e.arrival)
 where (case when h.token is null then array_contains(cast(? as varchar array), e.state)
        else cast(? as boolean) and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING') end)
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) r
 order by r.arrival
 limit ?
) c

-- COUNT_KEY
select count(*) as matching
  from (
select r.arrival
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamp(6) with time zone) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) as failure_group
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
   and array_contains(h.arrivals, e.arrival)
 where (case when h.token is null then array_contains(cast(? as varchar array), e.state)
        else cast(? as boolean) and e.state in ('RECEIVED', 'FAILED_RETRYABLE', 'WAITING') end)
   and e.consumer_id = ?
   and e.arrival > ?
   and (cast(? as boolean) or e.arrival = any (?))
   -- and what else is asked for
 order by e.arrival
 limit ?) r
 order by r.arrival
 limit ?
) c

-- FIND_GROUPS
select r.*, n.note, n.by_whom as noted_by, n.noted_at
  from (
select u.*,
       count(*) over (partition by u.failure_group) as members,
       min(coalesce(u.changed_at, u.received_at)) over (partition by u.failure_group) as first_at,
       max(coalesce(u.changed_at, u.received_at)) over (partition by u.failure_group) as last_at,
       row_number() over (partition by u.failure_group order by u.arrival desc) as nth
  from (
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamp(6) with time zone) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) as failure_group
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
   and array_contains(h.arrivals, e.arrival)
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
merge into "app".idembox_note (consumer_id, failure_group, note, by_whom, noted_at)
   key (consumer_id, failure_group)
values (?, ?, ?, ?, ?)

-- FIND_WAITING
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
select e.arrival, coalesce(l.received_at, b.received_at, e.changed_at) as received_at, cast(null as timestamp(6) with time zone) as settled_at,
       cast(null as int) as settled_attempts, coalesce(e.id, b.id) as id,
       e.state, e.owner, e.failures, e.crashes, e.releases, coalesce(e.forgiven, 0) as forgiven, e.reason,
       e.error_kind, e.error_class, e.sql_state, e.error, e.due_at, e.changed_at, e.original,
       coalesce(s.name, '(unknown source ' || coalesce(e.source_id, b.source_id) || ')') as source,
       b.arrival as body, b.full_id, b.event_type, b.event_version, coalesce(b.message_key, k.name) as message_key,
       b.payload_bytes, b.content_type, h.node, h.lease_until, coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) as failure_group
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
   and array_contains(h.arrivals, e.arrival)
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
select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
  from "app".idembox_operation
 where consumer_id = ?
   and array_contains(arrivals, cast(? as bigint))
 order by given_at desc
 limit ?

-- FIND_OPERATION
select operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, arrivals, verdicts, states
  from "app".idembox_operation
 where operation_id = ?

-- INSERT_OPERATION
insert into "app".idembox_operation (operation_id, kind, consumer_id, by_whom, role, reason, filter, given_at, asked, done,
       arrivals, verdicts, states)
values (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, '', '')

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
       exists (select 1 from "app".idembox_lease h where h.consumer_id = e.consumer_id and array_contains(h.arrivals, e.arrival)) as leased
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
       due_at = case when key_id is null then cast(? as timestamp(6) with time zone) end,
       changed_at = ?
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
       changed_at = ?
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- DISCARD_ENTRIES
update "app".idembox_entry
   set state = 'DISCARDED',
       reason = 'OPERATOR',
       due_at = null,
       changed_at = ?
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
       changed_at = ?
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- EDIT_ENTRIES
update "app".idembox_entry
   set changed_at = ?
 where consumer_id = ?
   and state = ?
   and arrival = any (?)

-- REVISE_BODY
insert into "app".idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type, message_key,
       headers, payload, content_type, sent_at, channel, partition_no, offset_no, full_id, original, variant,
       received_at, cause)
select b.arrival, b.revision + 1, b.event_version, b.consumer_id, b.source_id, b.id, b.event_type, b.message_key,
       b.headers, cast(? as varbinary), cast(? as varchar), b.sent_at, b.channel, b.partition_no, b.offset_no, b.full_id,
       b.original, b.variant, b.received_at, b.cause
  from "app".idembox_body b
 where b.arrival = ?
   and b.revision = (select max(r.revision) from "app".idembox_body r where r.arrival = b.arrival)

-- INSERT_CAMPAIGN
insert into "app".idembox_campaign (campaign_id, kind, consumer_id, by_whom, role, reason, filter, canary, per_second, stop_above,
       state, total, given, done, steps, position, since, planned_at, changed_at, next_at, replay_from, replay_to,
       replay_type, replay_key)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PLANNED', ?, 0, 0, ?, 0, 0, ?, ?, ?, cast(? as timestamp(6) with time zone),
       cast(? as timestamp(6) with time zone), ?, ?)

-- INSERT_CAMPAIGN_STEP
insert into "app".idembox_campaign_step (campaign_id, step, arrivals, versions)
values (?, ?, ?, ?)

-- FIND_CAMPAIGN
select c.campaign_id, c.kind, n.name as consumer, c.by_whom, c.role, c.reason, c.filter, c.canary, c.per_second, c.stop_above,
       c.state, c.total, c.given, c.done, c.steps, c.position, c.since, c.planned_at, c.changed_at,
       c.next_at, cast(? as timestamp(6) with time zone) as seen_at, c.note, c.generation, c.replay_from, c.replay_to, c.replay_type, c.replay_key
  from "app".idembox_campaign c
  join "app".idembox_consumer n
    on n.consumer_id = c.consumer_id
   and not n.alias
 where c.campaign_id = ?

-- FIND_CAMPAIGNS
select c.campaign_id, c.kind, n.name as consumer, c.by_whom, c.role, c.reason, c.filter, c.canary, c.per_second, c.stop_above,
       c.state, c.total, c.given, c.done, c.steps, c.position, c.since, c.planned_at, c.changed_at,
       c.next_at, cast(? as timestamp(6) with time zone) as seen_at, c.note, c.generation, c.replay_from, c.replay_to, c.replay_type, c.replay_key
  from "app".idembox_campaign c
  join "app".idembox_consumer n
    on n.consumer_id = c.consumer_id
   and not n.alias
 order by c.planned_at desc, c.campaign_id
 limit ?

-- FIND_RUNNING_CAMPAIGNS
select c.campaign_id, c.kind, n.name as consumer, c.by_whom, c.role, c.reason, c.filter, c.canary, c.per_second, c.stop_above,
       c.state, c.total, c.given, c.done, c.steps, c.position, c.since, c.planned_at, c.changed_at,
       c.next_at, cast(? as timestamp(6) with time zone) as seen_at, c.note, c.generation, c.replay_from, c.replay_to, c.replay_type, c.replay_key
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
       next_at = dateadd('MICROSECOND', cast(? as bigint), cast(? as timestamp(6) with time zone)),
       changed_at = ?
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
       changed_at = ?
 where campaign_id = ?
   and state = any (?)

-- CHANGE_CAMPAIGN
update "app".idembox_campaign
   set state = ?,
       note = ?,
       changed_at = ?
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

-- COUNT_REPLAY is not needed here

-- CLOSE_DOOR is not needed here

-- COUNT_AWAITED is not needed here

-- BOUND_WAITS is not needed here

-- COUNT_LEFT_OUT is not needed here

-- LOCK_REPLAYED_KEYS is not needed here

-- TAKE_LEASES is not needed here

-- WITHDRAW_EARLIER is not needed here

-- CANCEL_EARLIER is not needed here

-- NEXT_GENERATION is not needed here

-- BRING_BACK is not needed here

-- READ_REPLAYED is not needed here

-- PLACE_REPLAYED is not needed here

-- PUT_BEHIND is not needed here

-- REPEAT_STEPS is not needed here

-- BEGIN_REPLAY is not needed here

-- FIND_HELD is not needed here

-- LET_GO is not needed here

-- WITHDRAW_HELD is not needed here

-- COUNT_LEFT is not needed here

-- FORGET_POSITIONS is not needed here

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

-- INSERT_ALIAS
insert into "app".idembox_consumer (name, consumer_id, alias)
values (?, ?, true)

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
and coalesce(e.failure_group, cast(substring(hash('SHA-256', stringtoutf8(coalesce(e.error_class, e.reason))) from 1 for 16) as uuid)) = cast(? as uuid)

-- what a filter may ask for: RECEIVED_AFTER
and coalesce(l.received_at, b.received_at, e.changed_at) >= cast(? as timestamp(6) with time zone)

-- what a filter may ask for: RECEIVED_BEFORE
and coalesce(l.received_at, b.received_at, e.changed_at) < cast(? as timestamp(6) with time zone)

-- what a filter may ask for: ATTEMPTS_AT_LEAST
and coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases >= cast(? as int)

-- what a filter may ask for: ATTEMPTS_AT_MOST
and coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases <= cast(? as int)
