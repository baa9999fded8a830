-- SPDX-License-Identifier: Apache-2.0
-- Pausing a consumer on all nodes. Claims lock the row of their consumer, so no claim is running while one of these is.

-- name: pause
update idembox_consumer
   set paused_at = :now,
       paused_by = :paused_by,
       pause_reason = :reason
 where consumer_id = :consumer
   and not alias
   and paused_at is null;

-- name: resume
update idembox_consumer
   set paused_at = null,
       paused_by = null,
       pause_reason = null
 where consumer_id = :consumer
   and not alias
   and paused_at is not null;

-- name: find
select paused_by, pause_reason
  from idembox_consumer
 where consumer_id = :consumer
   and not alias
   and paused_at is not null;
