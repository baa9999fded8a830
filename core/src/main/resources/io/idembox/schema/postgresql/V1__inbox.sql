-- Idembox, schema version 1, PostgreSQL 15 and later.
-- Apply it as it is with your migration tool, or let the library do it (createSchema()).
-- Another prefix than idembox_ : print the files with that prefix, see InboxSchema.

create table idembox_schema (
    version    int         not null primary key,
    applied_at timestamptz not null default now()
);

-- Arrival numbers: one value per batch, times 2048, plus the place in the batch.
create sequence idembox_arrival;

-- Numbers of consumers and sources: the ledger keeps four bytes instead of a name. A number is 31 bits of the hash of its name, and
-- not drawn from a sequence: a sequence goes back with a restored backup or a failover, and gives a number to another name.
create table idembox_consumer (
    name        varchar(200) collate "C" not null primary key,
    consumer_id int                      not null,
    alias       boolean                  not null default false,  -- a later name of the same consumer
    paused_at    timestamptz,
    paused_by    varchar(200),
    pause_reason varchar(2000),
    ordering     varchar(40)   -- what the node that started last keeps order by; nodes that differ are reported
);

create unique index idembox_consumer_number on idembox_consumer (consumer_id) where not alias;

create table idembox_source (
    name      varchar(1000) collate "C" not null primary key,
    source_id int                       not null unique
);

-- Keys of ordered consumers: every step of an ordered message takes the row of its key, in the order of names.
create sequence idembox_key_number;

create table idembox_key (
    consumer_id int           not null,
    name        varchar(1000) collate "C" not null,
    key_id      bigint        not null unique,
    primary key (consumer_id, name)
);

-- How far the sequence of a key has come, for consumers that guard it. Rebuilding counts in a generation of its own.
create table idembox_sequence (
    key_id      bigint not null,
    generation  int    not null,
    consumer_id int    not null,
    reached     bigint not null,  -- the place that was settled last, or given up
    gap_since   timestamptz,  -- since when the first message of the key has waited for one that has not come
    primary key (key_id, generation)
) with (fillfactor = 70);

create index idembox_sequence_gap on idembox_sequence (consumer_id, gap_since) where gap_since is not null;

-- "We have seen it": one narrow row per consumer, source and id; written once, never updated.
-- id is bytes: 0x00 + UTF-8, or 0x01 + the 16 bytes of a UUID, or 0x02 + the SHA-256 of an id over 512 bytes.
create table idembox_ledger (
    arrival     bigint      not null,
    received_at timestamptz not null,
    variant     uuid        not null,  -- fingerprint of the payload that came first
    consumer_id int         not null,
    source_id   int         not null,
    kind        "char"      not null,  -- D direct, S stored
    id          bytea       not null,
    primary key (consumer_id, source_id, id)
);

-- "What it was": written once, never updated; an edit is a new revision.
-- A payload that conflicts with the one seen first has an arrival number of its own and names the original's.
create table idembox_body (
    arrival       bigint       not null,
    revision      smallint     not null,
    event_version int          not null,
    consumer_id   int          not null,
    source_id     int          not null,
    id            bytea        not null,
    event_type    varchar(1000) not null,
    message_key   varchar(1000),
    headers       bytea,                 -- null when there are none
    payload       bytea,                 -- null is a tombstone
    content_type  varchar(200),          -- null is application/json
    sent_at       timestamptz,
    channel       varchar(1000),
    partition_no  int,
    offset_no     bigint,
    full_id       text,                  -- the id, where id is only its hash
    original      bigint,                -- of a conflict: the arrival of the message that came first
    variant       uuid,                  -- of a conflict: its fingerprint
    received_at   timestamptz,           -- of a conflict: when it came, which no ledger row tells
    cause         bigint,                -- of one that a handler sent or intended: the arrival of the message it handled
    primary key (arrival, revision)
);

create index idembox_body_cause on idembox_body (cause) where cause is not null;

-- A conflict is kept once: its body row is its mark.
create unique index idembox_body_conflict on idembox_body (original, variant, revision) where original is not null;

-- "We are not done with it": one small row per unfinished message. No entry under the ledger's arrival means done.
-- Whoever works on it holds a lease (below) or its row lock; the row itself changes only when something went wrong.
create table idembox_entry (
    arrival     bigint      not null,
    consumer_id int         not null,
    generation  int         not null default 0,  -- 0, or which replay of its message it is
    failures    smallint    not null,   -- the handler said no
    crashes     smallint    not null,   -- whoever had it went away
    releases    smallint    not null,   -- given back on purpose
    forgiven    int,                    -- attempts before somebody redrove it; null when nobody did
    state       varchar(20) not null
        check (state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')),
    owner       varchar(10) not null check (owner in ('INBOX', 'REDELIVERY', 'REPLAY')),  -- who brings it to a handler; REPLAY: not yet
    due_at      timestamptz,            -- when the inbox tries again; null in every state but FAILED_RETRYABLE
    key_id      bigint,                 -- its key, when the consumer keeps order
    sequence_no bigint,                 -- its sequence number within its key, where the consumer guards it
    original    bigint,                 -- of a conflict: the arrival of the message that came first
    source_id   int,                    -- source and id where no body tells them
    id          bytea,
    reason      varchar(40),
    error_kind  varchar(20),
    error_class varchar(500),
    sql_state   varchar(10),
    error       text,
    failure_group uuid,                 -- the same for failures with one cause; null where the error class says it all
    changed_at  timestamptz,            -- null when nothing has happened to it yet
    primary key (consumer_id, state, arrival)
);

create index idembox_entry_due on idembox_entry (consumer_id, due_at) where due_at is not null and crashes < 2;

-- Those that were there when processes ended: they run alone, and are not looked for among all the others.
create index idembox_entry_suspect on idembox_entry (consumer_id, due_at) where due_at is not null and crashes >= 2;

create index idembox_entry_key on idembox_entry (key_id, sequence_no nulls first, arrival) where key_id is not null;

-- Who is at work in a key, or next: among very many that wait he is not looked for one by one.
create index idembox_entry_busy on idembox_entry (key_id, sequence_no nulls first, arrival)
    where key_id is not null and state in ('RECEIVED', 'FAILED_RETRYABLE');

-- What is replayed.
create index idembox_entry_generation on idembox_entry (consumer_id, generation, arrival) where generation > 0;

create index idembox_entry_original on idembox_entry (original) where original is not null;

-- The right to work on some entries, all at once: token, and until when. Deleted by whoever settles them, in the same
-- transaction as the effects, or by the janitor when its time is over: one of the two finds it, the other does not.
-- Numbers are given out behind the consumer's row, so they tell which lease is the older one.
create sequence idembox_lease_number;

create table idembox_lease (
    token       uuid         not null primary key,
    number      bigint       not null,
    consumer_id int          not null,
    claimed_at  timestamptz  not null,
    lease_until timestamptz  not null,
    alone       boolean      not null,  -- for one entry that may have ended a process
    node        varchar(200) not null,
    arrivals    bigint[]     not null
);

create index idembox_lease_number_of on idembox_lease (consumer_id, number);

-- Which process reads which lane (topic and partition), and how far. Whoever takes a lane over has another token, and then nobody
-- else commits anything of it. In direct mode nothing is written before a handler runs: who takes over from one that did not say
-- good-bye handles as many messages with care as that one may have had in flight.
create table idembox_partition (
    consumer_id int           not null,
    partition_name varchar(1100) collate "C" not null,
    node        varchar(200)  not null,
    token       uuid          not null,
    in_flight   int           not null,
    released    boolean       not null,
    taken_at    timestamptz   not null,
    incarnation varchar(100),             -- of the topic, such as Kafka's topic id; null when nobody said how far it was read
    first_offset bigint,                  -- where this consumer began to read the lane
    next_offset bigint,                   -- everything before is acknowledged
    leader_epoch int,                     -- Kafka's epoch of the last record before epoch_offset; null: a log that was cut is not noticed
    epoch_offset bigint,                  -- what the log must still have in that epoch; no record is between it and next_offset
    primary key (consumer_id, partition_name)
) with (fillfactor = 50);

-- Every attempt that did not end well.
create table idembox_attempt (
    arrival     bigint       not null,
    number      int          not null,
    node        varchar(200) not null,
    started_at  timestamptz  not null,
    ended_at    timestamptz  not null,
    outcome     varchar(20)  not null,
    error_kind  varchar(20)  not null,
    error_class varchar(500) not null,
    sql_state   varchar(10),
    error       text         not null,
    stack_trace text,
    trace_id    varchar(64),
    primary key (arrival, number)
);

-- How it ended, where the ledger row alone does not tell: it had an entry, or a result.
create table idembox_outcome (
    arrival     bigint      not null primary key,
    settled_at  timestamptz not null,
    attempts    int         not null,
    result      bytea,
    result_type varchar(200)
);

-- What people did: written in the transaction that did it. The same id again does nothing and answers what is here.
create table idembox_operation (
    operation_id varchar(100) collate "C" not null primary key,
    kind        varchar(20)   not null,
    consumer_id int           not null,
    by_whom     varchar(200)  not null,
    reason      varchar(2000) not null,
    given_at    timestamptz   not null,
    asked       int           not null,
    done        int           not null,
    arrivals    bigint[]      not null,
    verdicts    text          not null,  -- a letter for each: Done, Changed, in Progress, Gone, wrong State, no Body, busy Key, too Late ...
    states      text          not null,  -- a letter for each: where it stood before
    role        varchar(40),
    filter      varchar(2000),           -- how they were found; null when they were named
    number      bigint unique            -- 1, 2, 3, ... without gaps; null only while it is being done
        constraint idembox_operation_number_check check (number > 0),
    seal_key    varchar(40),             -- the name of the key it is sealed with; null for none
    seal        varchar(64)              -- HMAC-SHA256 over all of this and the seal before
);

-- The end of the trail of operations: one row.
create table idembox_audit_head (
    number      bigint        not null primary key,
    seal        varchar(64)   not null
);

insert into idembox_audit_head (number, seal) values (0, '');

-- What was done to a message: nobody deletes from this table but you.
create index idembox_operation_arrivals on idembox_operation using gin (arrivals);

-- Commands for very many messages, step by step: whoever goes on moves the position in the transaction of the step.
create table idembox_campaign (
    campaign_id varchar(100) collate "C" not null primary key,
    kind        varchar(20)   not null,
    consumer_id int           not null,
    by_whom     varchar(200)  not null,
    role        varchar(40),
    reason      varchar(2000) not null,
    filter      varchar(2000),
    canary      int           not null,
    per_second  int           not null,  -- 0 for no bound
    stop_above  double precision not null,
    state       varchar(20)   not null
        check (state in ('PLANNED', 'RUNNING', 'STOPPED', 'CANCELLED', 'DONE')),
    total       int           not null,
    given       int           not null,
    done        int           not null,
    steps       bigint        not null,
    position    bigint        not null,  -- how many steps are done
    since       bigint        not null,  -- how many were, when somebody let it run
    planned_at  timestamptz   not null,
    changed_at  timestamptz   not null,
    next_at     timestamptz   not null,  -- when the next step may be done
    generation  int,                     -- of a replay that has begun
    replay_from timestamptz,             -- what a replay is about: received from and to, type, key; null for any
    replay_to   timestamptz,
    replay_type varchar(1000),
    replay_key  varchar(1000),
    note        varchar(2000)
);

create index idembox_campaign_planned on idembox_campaign (planned_at);

-- What a campaign is about: its messages as they were when it was planned.
create table idembox_campaign_step (
    campaign_id varchar(100) collate "C" not null,
    step        bigint        not null,
    arrivals    bigint[]      not null,
    versions    text[]        not null,
    primary key (campaign_id, step)
);

-- What people know about groups of failures, one note for each; who wrote which is in the operations.
create table idembox_note (
    consumer_id   int           not null,
    failure_group uuid          not null,
    note          varchar(1000) not null,
    by_whom       varchar(200)  not null,
    noted_at      timestamptz not null,
    primary key (consumer_id, failure_group)
);

-- Parts of a message's work that are finished before it is: written once, together with their own effects.
create table idembox_step (
    arrival     bigint       not null,
    name        varchar(200) collate "C" not null,
    finished_at timestamptz not null,
    node        varchar(200) not null,
    result      bytea,
    result_type varchar(200),
    primary key (arrival, name)
);

-- How many deliveries were answered how, per minute and node. Statistics: a crash loses at most its last minute.
create table idembox_receipt_count (
    consumer_id int          not null,
    minute_start timestamptz not null,
    node        varchar(200) not null,
    completed   bigint       not null,
    duplicates  bigint       not null,
    skipped     bigint       not null,
    stored      bigint       not null,
    busy        bigint       not null,
    failed      bigint       not null,
    refused     bigint       not null,
    primary key (consumer_id, minute_start, node)
);

-- What is around a payload: for people, who need not be able to read payloads and headers. It shows a body, and of its payload the length.
create view idembox_envelope as
select arrival, revision, event_version, consumer_id, source_id, id, event_type, message_key, content_type, sent_at, channel,
       partition_no, offset_no, full_id, original, variant, received_at, cause, octet_length(payload) as payload_bytes
  from idembox_body;

-- One table for people and BI tools: a row per message, and one per conflicting payload.
-- For queries by state on large ledgers start from idembox_entry.
create view idembox_inbox as
select coalesce(c.name, '(unknown consumer ' || m.consumer_id || ')') as consumer,
       coalesce(s.name, '(unknown source ' || m.source_id || ')') as source,
       coalesce(b.full_id,
                case get_byte(m.id, 0)
                     when 0 then convert_from(substr(m.id, 2), 'UTF8')
                     when 1 then cast(cast(encode(substr(m.id, 2), 'hex') as uuid) as text)
                     else 'sha256:' || encode(substr(m.id, 2), 'hex')
                end)                                 as message_id,
       case when m.state is null then 'COMPLETED'
            when l.token is not null then 'IN_PROGRESS'
            else m.state
       end                                           as status,
       m.reason,
       m.arrival,
       m.original,
       m.variant,
       m.kind,
       m.received_at,
       case when m.state is null
            then coalesce(o.settled_at, m.received_at)
       end                                           as processed_at,
       coalesce(coalesce(m.forgiven, 0) + m.failures + m.crashes + m.releases,
                o.attempts, 1)                       as attempts,
       m.failures,
       m.crashes,
       m.releases,
       m.forgiven,
       m.owner,
       m.due_at,
       l.lease_until,
       l.node,
       m.error_class,
       m.sql_state,
       m.error,
       b.event_type,
       b.event_version,
       b.message_key,
       b.channel,
       b.partition_no,
       b.offset_no,
       b.sent_at,
       octet_length(b.payload)                       as payload_bytes
  from (select l.arrival, cast(null as bigint) as original, l.consumer_id, l.source_id, l.id, l.kind, l.received_at,
               l.variant, e.state, e.reason, e.failures, e.crashes, e.releases, e.forgiven, e.owner, e.due_at,
               e.error_class, e.sql_state, e.error
          from idembox_ledger l
          left join idembox_entry e
            on e.consumer_id = l.consumer_id
           and e.arrival = l.arrival
           and e.state in ('RECEIVED', 'WAITING', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')
        union all
        select e.arrival, e.original, e.consumer_id, b.source_id, b.id, 'C', coalesce(b.received_at, e.changed_at), b.variant, e.state, e.reason,
               e.failures, e.crashes, e.releases, e.forgiven, e.owner, e.due_at, e.error_class, e.sql_state, e.error
          from idembox_entry e
          join idembox_body b on b.arrival = e.arrival and b.revision = 0
         where e.original is not null) m
  left join idembox_consumer c on c.consumer_id = m.consumer_id and not c.alias
  left join idembox_source s on s.source_id = m.source_id
  left join idembox_outcome o on o.arrival = m.arrival
  left join idembox_body b on b.arrival = m.arrival and b.revision = 0
  left join idembox_lease l on l.consumer_id = m.consumer_id and m.arrival = any (l.arrivals) and m.state is not null;

insert into idembox_schema (version) values (1);
