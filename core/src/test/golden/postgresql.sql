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
       from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]), cast(? as text[]),
                   cast(? as int[]), cast(? as text[]), cast(? as bytea[]), cast(? as bytea[]),
                   cast(? as text[]), cast(? as timestamptz[]), cast(? as text[]), cast(? as int[]),
                   cast(? as bigint[]), cast(? as text[]))
         as m(slot, source_id, id, variant, event_type, event_version, message_key, headers, payload,
              content_type, sent_at, channel, partition_no, offset_no, full_id)),
l as (
     insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
     select (select nextval('"app".idembox_arrival')) * 2048 + m.slot,
            (select coalesce(cast(? as timestamptz), clock_timestamp())),
            m.variant, ?, m.source_id, 'D', m.id
       from m
         on conflict do nothing
     returning arrival, variant),
b as (
     insert into "app".idembox_body (arrival, variant, revision, event_type, event_version, message_key, headers,
            payload, content_type, sent_at, channel, partition_no, offset_no, full_id)
     select l.arrival, l.variant, 0, m.event_type, m.event_version, m.message_key, m.headers, m.payload,
            m.content_type, m.sent_at, m.channel, m.partition_no, m.offset_no, m.full_id
       from l
       join m on m.slot = l.arrival % 2048)
select arrival from l;
select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true);
savepoint idembox_batch

-- INSERT_MARK
insert into "app".idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
values (?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, 'D', ?)
    on conflict do nothing

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
       e.lease_until > (select coalesce(cast(? as timestamptz), clock_timestamp())) as leased,
       o.result, o.result_type
  from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[])) as m(slot, source_id, id)
 cross join lateral (
      select k.arrival, k.variant
        from "app".idembox_ledger k
       where k.consumer_id = ?
         and k.source_id = m.source_id
         and k.id = m.id
       limit 1) l
  left join "app".idembox_entry e
    on e.arrival = l.arrival
   and e.generation = 0
   and e.variant = l.variant
  left join "app".idembox_outcome o
    on o.arrival = l.arrival
   and o.generation = 0
   and o.variant = l.variant;
select set_config('enable_seqscan', current_setting('idembox.enable_seqscan'), true)

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
        or state = 'IN_PROGRESS'
           and lease_until < (select coalesce(cast(? as timestamptz), clock_timestamp())))

-- LOCK_ENTRY is not needed here

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
    on conflict do nothing

-- INSERT_ENTRY
insert into "app".idembox_entry (arrival, generation, variant, consumer_id, source_id, id, state, owner, reason,
       due_at, token, lease_until, failures, crashes, releases, error_kind, error_class, sql_state, error,
       changed_at)
values (?, 0, ?, ?, ?, ?, ?, ?, ?, null, null, null, ?, 0, 0, ?, ?, ?, ?, coalesce(cast(? as timestamptz), clock_timestamp()))

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
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
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
       changed_at = coalesce(cast(? as timestamptz), clock_timestamp())
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
values (?, 0, ?, ?, ?, ?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, ?, ?, ?, ?)

-- INSERT_OUTCOME
insert into "app".idembox_outcome (arrival, generation, variant, settled_at, attempts, result, result_type)
values (?, 0, ?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?)

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
