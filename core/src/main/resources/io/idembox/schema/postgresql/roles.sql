-- Idembox, roles for PostgreSQL 15 and later: what each may do, and nothing else. See docs/roles.md.
-- A superuser runs it in the schema of the tables, when they are there, and again after each change of them: it may be repeated.
-- The roles have no login of their own. Give them to logins: grant idembox_app to billing_service;

do $$
declare
    role text;
begin
    foreach role in array array['idembox_migrator', 'idembox_app', 'idembox_janitor', 'idembox_viewer', 'idembox_operator', 'idembox_audit'] loop
        if not exists (select 1 from pg_roles where rolname = role) then
            execute format('create role %I nologin', role);
        end if;
        execute format('grant usage on schema %I to %I', current_schema(), role);
    end loop;
    execute format('grant create on schema %I to idembox_migrator', current_schema());
end
$$;

-- Whether a row is one that this very transaction wrote. Whoever sees a row whose writer is not done yet has written it.
create or replace function idembox_is_own(writer xid) returns boolean
    language sql stable
    set search_path = pg_catalog, pg_temp
    as $$
        select case when n.ahead < 0 then false
                    else pg_xact_status(cast(cast(n.top + n.ahead as text) as xid8)) is not distinct from 'in progress'
               end
          from (select m.top, (m.low - m.top % 4294967296 + 6442450944) % 4294967296 - 2147483648 as ahead
                  from (select cast(cast(pg_current_xact_id() as text) as bigint) as top,
                               cast(cast(writer as text) as bigint)                as low) m) n
    $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- migrator: owns everything, and so changes tables. Not for processes that run all day.

alter table idembox_schema     owner to idembox_migrator;
alter table idembox_consumer   owner to idembox_migrator;
alter table idembox_source     owner to idembox_migrator;
alter table idembox_key        owner to idembox_migrator;
alter table idembox_sequence   owner to idembox_migrator;
alter table idembox_ledger     owner to idembox_migrator;
alter table idembox_body       owner to idembox_migrator;
alter table idembox_entry      owner to idembox_migrator;
alter table idembox_lease      owner to idembox_migrator;
alter table idembox_partition      owner to idembox_migrator;
alter table idembox_attempt    owner to idembox_migrator;
alter table idembox_outcome    owner to idembox_migrator;
alter table idembox_operation  owner to idembox_migrator;
alter table idembox_audit_head      owner to idembox_migrator;
alter table idembox_note       owner to idembox_migrator;
alter table idembox_campaign      owner to idembox_migrator;
alter table idembox_campaign_step owner to idembox_migrator;
alter table idembox_step       owner to idembox_migrator;
alter table idembox_receipt_count      owner to idembox_migrator;
alter view idembox_inbox       owner to idembox_migrator;
alter view idembox_envelope    owner to idembox_migrator;
alter sequence idembox_arrival      owner to idembox_migrator;
alter sequence idembox_key_number   owner to idembox_migrator;
alter sequence idembox_lease_number owner to idembox_migrator;
alter function idembox_is_own(xid)  owner to idembox_migrator;

-- ---------------------------------------------------------------------------------------------------------------------
-- app: receives, stores, handles and sends. It writes marks and cannot change or delete those that are committed.
-- A right to update one column is there where rows are locked: PostgreSQL asks for it.

grant select on idembox_schema, idembox_consumer, idembox_source, idembox_key, idembox_sequence, idembox_ledger,
      idembox_body, idembox_entry, idembox_lease, idembox_partition, idembox_attempt, idembox_outcome, idembox_step
   to idembox_app;
grant insert, update (pause_reason, ordering) on idembox_consumer to idembox_app;
grant insert                         on idembox_source   to idembox_app;
grant insert, update (name), delete  on idembox_key      to idembox_app;
grant insert, update                 on idembox_sequence to idembox_app;
grant insert, update (kind), delete  on idembox_ledger   to idembox_app;
grant insert, delete                 on idembox_body     to idembox_app;
grant insert, update, delete         on idembox_entry    to idembox_app;
grant insert, update, delete         on idembox_lease    to idembox_app;
grant insert, update                 on idembox_partition    to idembox_app;
grant insert                         on idembox_attempt  to idembox_app;
grant insert, delete                 on idembox_outcome  to idembox_app;
grant insert                         on idembox_step     to idembox_app;
grant insert                         on idembox_receipt_count    to idembox_app;
grant usage on sequence idembox_arrival, idembox_key_number, idembox_lease_number to idembox_app;

-- ---------------------------------------------------------------------------------------------------------------------
-- janitor: forgets what is finished long enough, and takes away leases that ran out. It reads no payload.

grant select on idembox_schema, idembox_consumer, idembox_source, idembox_key, idembox_sequence, idembox_ledger,
      idembox_entry, idembox_lease, idembox_attempt
   to idembox_janitor;
grant select (arrival, revision, consumer_id, source_id, id, original), delete on idembox_body to idembox_janitor;
grant select (arrival, settled_at, attempts), delete on idembox_outcome to idembox_janitor;
grant select (arrival, name), delete on idembox_step to idembox_janitor;
grant update (kind), delete          on idembox_ledger   to idembox_janitor;
grant update (name), delete          on idembox_key      to idembox_janitor;
grant insert, update                 on idembox_sequence to idembox_janitor;
grant update, delete                 on idembox_entry    to idembox_janitor;
grant update, delete                 on idembox_lease    to idembox_janitor;
grant insert, delete                 on idembox_attempt  to idembox_janitor;
grant select (campaign_id, state, planned_at, changed_at), delete on idembox_campaign to idembox_janitor;
grant select (campaign_id), delete   on idembox_campaign_step to idembox_janitor;

-- ---------------------------------------------------------------------------------------------------------------------
-- viewer: looks at everything but payloads, headers and results. operator: looks, and gives commands.

grant select on idembox_schema, idembox_consumer, idembox_source, idembox_key, idembox_sequence, idembox_ledger,
      idembox_entry, idembox_lease, idembox_partition, idembox_attempt, idembox_operation, idembox_note, idembox_receipt_count,
      idembox_campaign, idembox_campaign_step, idembox_envelope, idembox_inbox
   to idembox_viewer;
grant select (arrival, settled_at, attempts, result_type) on idembox_outcome to idembox_viewer;
grant select (arrival, name, finished_at, node, result_type) on idembox_step to idembox_viewer;

grant idembox_viewer to idembox_operator;
grant update (paused_at, paused_by, pause_reason) on idembox_consumer to idembox_operator;
grant update (name) on idembox_key to idembox_operator;
grant insert, update on idembox_sequence to idembox_operator;
grant update (state, owner, reason, forgiven, failures, crashes, due_at, error_kind, error_class, error, changed_at)
   on idembox_entry to idembox_operator;
grant insert, update (asked, done, arrivals, verdicts, states, number, seal_key, seal) on idembox_operation to idembox_operator;
grant select, update (number, seal) on idembox_audit_head to idembox_operator;
grant insert, update on idembox_note to idembox_operator;
-- What was planned stays as it was planned; whoever lets it run says his name.
grant insert, update (state, note, by_whom, role, reason, total, given, done, steps, position, since, changed_at, next_at, generation)
   on idembox_campaign to idembox_operator;
grant insert on idembox_campaign_step to idembox_operator;
grant delete on idembox_step, idembox_sequence to idembox_operator;

-- ---------------------------------------------------------------------------------------------------------------------
-- audit: what people did, and nothing of messages.

grant select on idembox_schema, idembox_operation, idembox_audit_head to idembox_audit;
grant select (name, consumer_id, alias) on idembox_consumer to idembox_audit;

-- ---------------------------------------------------------------------------------------------------------------------
-- Marks are for good: they may be locked and never changed; applications take back what the same transaction wrote, and the
-- janitor forgets. Who owns the table, and a superuser, is not asked.

alter table idembox_ledger enable row level security;

drop policy if exists idembox_seen on idembox_ledger;
create policy idembox_seen on idembox_ledger for select using (true);

drop policy if exists idembox_recorded on idembox_ledger;
create policy idembox_recorded on idembox_ledger for insert to idembox_app with check (true);

drop policy if exists idembox_locked on idembox_ledger;
create policy idembox_locked on idembox_ledger for update to idembox_app, idembox_janitor using (true) with check (false);

drop policy if exists idembox_taken_back on idembox_ledger;
create policy idembox_taken_back on idembox_ledger for delete to idembox_app using (idembox_is_own(xmin));

drop policy if exists idembox_forgotten on idembox_ledger;
create policy idembox_forgotten on idembox_ledger for delete to idembox_janitor using (true);

-- What people did is for good: an operation has no number until it is finished, in the transaction that began it.

alter table idembox_operation enable row level security;

drop policy if exists idembox_seen on idembox_operation;
create policy idembox_seen on idembox_operation for select using (true);

drop policy if exists idembox_begun on idembox_operation;
create policy idembox_begun on idembox_operation for insert to idembox_operator with check (number is null);

drop policy if exists idembox_finished on idembox_operation;
create policy idembox_finished on idembox_operation for update to idembox_operator using (number is null)
       with check (number is null or number > 0);
