-- SPDX-License-Identifier: Apache-2.0
-- Steps of a handler that are committed before their message is settled.

-- name: find
select name, result, result_type
  from idembox_step
 where arrival = :arrival;
