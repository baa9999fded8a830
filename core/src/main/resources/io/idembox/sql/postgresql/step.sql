-- SPDX-License-Identifier: Apache-2.0
-- Steps of a handler that are committed before their message is settled.

-- name: begin
-- One round trip. Waits for locks are bounded until the transaction ends: the handler's own transaction may hold one of them.
set transaction isolation level read committed;
select set_config('lock_timeout', :lock_timeout, true);
savepoint idembox_batch;

-- name: insert
-- Fenced: the lease must still exist, and its row stays locked until the commit. No row is inserted when it is gone.
with ours as materialized (
     select token
       from idembox_lease
      where token = :token
        for update)
insert into idembox_step (arrival, name, finished_at, node, result, result_type)
select cast(:arrival as bigint), cast(:name as varchar), :now, cast(:node as varchar), cast(:result as bytea),
       cast(:result_type as varchar)
  from ours;
