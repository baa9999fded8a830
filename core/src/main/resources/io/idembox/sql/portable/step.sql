-- SPDX-License-Identifier: Apache-2.0
-- Steps of a handler that are committed before their message is settled.

-- name: lock_lease
-- The fence: the lease must still exist, and its row stays locked until the commit.
select token
  from idembox_lease
 where token = :token
   for update;

-- name: insert
insert into idembox_step (arrival, name, finished_at, node, result, result_type)
values (:arrival, :name, :now, :node, :result, :result_type);
