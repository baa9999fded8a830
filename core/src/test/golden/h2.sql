-- INSERT_MARKS is not needed here

-- INSERT_ONE_MARK is not needed here

-- INSERT_MARKS_AND_BODIES is not needed here

-- INSERT_MARK
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
values (?, ?, ?, ?, ?, 'D', ?)

-- NEXT_ARRIVAL
select next value for "app".idembox_arrival * 2048

-- BOUND_THE_WAIT
set lock_timeout ?

-- UNBOUND_THE_WAIT is not needed here

-- FIND
select cast(? as int) as slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class,
       e.sql_state, e.error,
       e.lease_until > ? as leased,
       o.result, o.result_type
  from "app".idembox_ledger l
  left join "app".idembox_entry e
    on e.arrival = l.arrival
   and e.generation = 0
   and e.variant = l.variant
  left join "app".idembox_outcome o
    on o.arrival = l.arrival
   and o.generation = 0
   and o.variant = l.variant
 where l.consumer_id = ?
   and l.source_id = ?
   and l.id = ?

-- TAKE
update "app".idembox_entry
   set state = 'IN_PROGRESS',
       token = ?,
       crashes = crashes + case when state = 'IN_PROGRESS' then 1 else 0 end
 where arrival = ?
   and generation = 0
   and variant = ?
   and owner = 'REDELIVERY'
   and (state = 'FAILED_RETRYABLE'
        or state = 'IN_PROGRESS' and lease_until < ?)

-- LOCK_ENTRY
select arrival
  from "app".idembox_entry
 where arrival = ?
   and generation = 0
   and variant = ?
   for update nowait

-- TAKEN
select failures, crashes, releases
  from "app".idembox_entry
 where arrival = ?
   and generation = 0
   and variant = ?
   and token = ?

-- INSERT_BODY
insert into "app".idembox_body (arrival, variant, revision, event_type, event_version, message_key, headers,
       payload, content_type, sent_at, channel, partition_no, offset_no, full_id)
values (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- INSERT_ENTRY
insert into "app".idembox_entry (arrival, generation, variant, consumer_id, source_id, id, state, owner, reason,
       due_at, token, lease_until, failures, crashes, releases, error_kind, error_class, sql_state, error,
       changed_at)
values (?, 0, ?, ?, ?, ?, ?, ?, ?, null, null, null, ?, 0, 0, ?, ?, ?, ?, ?)

-- FAIL_ENTRY
update "app".idembox_entry
   set state = ?,
       reason = ?,
       failures = ?,
       token = null,
       lease_until = null,
       error_kind = ?,
       error_class = ?,
       sql_state = ?,
       error = ?,
       changed_at = ?
 where arrival = ?
   and generation = 0
   and variant = ?
   and token = ?

-- PARK_ENTRY
update "app".idembox_entry
   set state = 'PARKED',
       reason = ?,
       token = null,
       lease_until = null,
       error_kind = ?,
       error_class = ?,
       sql_state = ?,
       error = ?,
       changed_at = ?
 where arrival = ?
   and generation = 0
   and variant = ?

-- RELEASE_ENTRY
update "app".idembox_entry
   set state = 'FAILED_RETRYABLE',
       token = null,
       lease_until = null
 where arrival = ?
   and generation = 0
   and variant = ?
   and token = ?

-- SETTLE_ENTRY
delete from "app".idembox_entry
 where arrival = ?
   and generation = 0
   and variant = ?
   and token = ?

-- INSERT_ATTEMPT
insert into "app".idembox_attempt (arrival, generation, variant, number, node, started_at, ended_at, outcome,
       error_kind, error_class, sql_state, error, stack_trace, trace_id)
values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- INSERT_OUTCOME
insert into "app".idembox_outcome (arrival, generation, variant, settled_at, attempts, result, result_type)
values (?, 0, ?, ?, ?, ?, ?)

-- UNRECORD_MARK
delete from "app".idembox_ledger
 where consumer_id = ?
   and source_id = ?
   and id = ?
   and arrival = ?

-- UNRECORD_BODY
delete from "app".idembox_body
 where arrival = ?
   and variant = ?

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
