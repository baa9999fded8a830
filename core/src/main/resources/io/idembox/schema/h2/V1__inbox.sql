-- Idembox, schema version 1, H2 2.2 and later. For development and tests.
-- Apply it as it is with your migration tool, or let the library do it (createSchema()).
-- Another prefix than idembox_ : print the files with that prefix, see InboxSchema.

create table idembox_schema (
    version    int         not null primary key,
    applied_at timestamp(6) with time zone not null default current_timestamp
);

-- Arrival numbers: one value per batch, times 2048, plus the place in the batch.
create sequence idembox_arrival;

-- Numbers of consumers and sources: the ledger keeps four bytes instead of a name.
create sequence idembox_number;

create table idembox_consumer (
    name        varchar(200) not null primary key,
    consumer_id int                      not null,
    alias       boolean                  not null default false  -- a later name of the same consumer
);

create table idembox_source (
    name      varchar(1000) not null primary key,
    source_id int                       not null unique
);

-- "We have seen it": one narrow row per consumer, source and id; written once, never updated.
-- id is bytes: 0x00 + UTF-8, or 0x01 + the 16 bytes of a UUID, or 0x02 + the SHA-256 of an id over 512 bytes.
create table idembox_ledger (
    arrival     bigint      not null,
    received_at timestamp(6) with time zone not null,
    variant     uuid        not null,  -- fingerprint of the payload that came first
    consumer_id int         not null,
    source_id   int         not null,
    kind        char(1)     not null,  -- D direct, S stored
    id          varbinary(600) not null,
    primary key (consumer_id, source_id, id)
);

-- "What it was": written once, never updated; an edit is a new revision.
create table idembox_body (
    arrival       bigint       not null,
    variant       uuid         not null,
    revision      int          not null,
    event_type    varchar(1000) not null,
    event_version int          not null,
    message_key   varchar(1000),
    headers       blob         not null,
    payload       blob,                 -- null is a tombstone
    content_type  varchar(200) not null,
    sent_at       timestamp(6) with time zone,
    channel       varchar(1000),
    partition_no  int,
    offset_no     bigint,
    full_id       varchar(10000),                  -- the id, where the ledger keeps only its hash
    primary key (arrival, variant, revision)
);

-- "We are not done with it": one small row per unfinished message. No entry of generation 0 means done.
create table idembox_entry (
    arrival     bigint      not null,
    generation  int         not null,
    variant     uuid        not null,
    consumer_id int         not null,
    source_id   int         not null,
    id          varbinary(600) not null,
    state       varchar(20) not null
        check (state in ('RECEIVED', 'WAITING', 'IN_PROGRESS', 'FAILED_RETRYABLE', 'FAILED_TERMINAL', 'PARKED', 'DISCARDED')),
    owner       varchar(10) not null check (owner in ('INBOX', 'REDELIVERY')),
    reason      varchar(40),
    due_at      timestamp(6) with time zone,            -- null for entries that redelivery owns: they are never claimed
    token       uuid,
    lease_until timestamp(6) with time zone,
    failures    int         not null,   -- the handler said no
    crashes     int         not null,   -- whoever had it went away
    releases    int         not null,   -- given back on purpose
    error_kind  varchar(20),
    error_class varchar(500),
    sql_state   varchar(10),
    error       varchar(10000),
    changed_at  timestamp(6) with time zone not null,
    primary key (arrival, generation, variant)
);

-- Every attempt that did not end well.
create table idembox_attempt (
    arrival     bigint       not null,
    generation  int          not null,
    variant     uuid         not null,
    number      int          not null,
    node        varchar(200) not null,
    started_at  timestamp(6) with time zone  not null,
    ended_at    timestamp(6) with time zone  not null,
    outcome     varchar(20)  not null,
    error_kind  varchar(20)  not null,
    error_class varchar(500) not null,
    sql_state   varchar(10),
    error       varchar(10000)         not null,
    stack_trace varchar(10000),
    trace_id    varchar(64),
    primary key (arrival, generation, variant, number)
);

-- How it ended, where the ledger row alone does not tell: a result, or more than one attempt.
create table idembox_outcome (
    arrival     bigint      not null,
    generation  int         not null,
    variant     uuid        not null,
    settled_at  timestamp(6) with time zone not null,
    attempts    int         not null,
    result      blob,
    result_type varchar(200),
    primary key (arrival, generation, variant)
);

-- How many deliveries were answered how, per minute and node. Statistics: a crash loses at most its last minute.
create table idembox_tally (
    consumer_id int          not null,
    minute_start timestamp(6) with time zone not null,
    node        varchar(200) not null,
    completed   bigint       not null,
    duplicates  bigint       not null,
    stored      bigint       not null,
    busy        bigint       not null,
    failed      bigint       not null,
    refused     bigint       not null,
    primary key (consumer_id, minute_start, node)
);

-- One table for people and BI tools: a row per message, and one per further variant or generation of it.
-- For queries by state on large ledgers start from idembox_entry.
create view idembox_inbox as
select c.name                                        as consumer,
       s.name                                        as source,
       coalesce(b.full_id,
                case left(rawtohex(m.id), 2)
                     when '00' then utf8tostring(substring(m.id, 2))
                     when '01' then cast(cast(substring(m.id, 2) as uuid) as varchar)
                     else 'sha256:' || lower(rawtohex(substring(m.id, 2)))
                end)                                 as message_id,
       coalesce(m.state, 'COMPLETED')                as status,
       m.reason,
       m.arrival,
       m.generation,
       m.variant,
       m.kind,
       m.received_at,
       case when m.state is null
            then coalesce(o.settled_at, m.received_at)
       end                                           as processed_at,
       coalesce(m.failures + m.crashes + m.releases,
                o.attempts, 1)                       as attempts,
       m.failures,
       m.crashes,
       m.releases,
       m.owner,
       m.due_at,
       m.lease_until,
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
  from (select l.arrival, l.consumer_id, l.source_id, l.id, l.kind, l.received_at, 0 as generation, l.variant,
               e.state, e.reason, e.failures, e.crashes, e.releases, e.owner, e.due_at, e.lease_until,
               e.error_class, e.sql_state, e.error
          from idembox_ledger l
          left join idembox_entry e on e.arrival = l.arrival and e.generation = 0 and e.variant = l.variant
        union all
        select l.arrival, l.consumer_id, l.source_id, l.id, l.kind, l.received_at, e.generation, e.variant,
               e.state, e.reason, e.failures, e.crashes, e.releases, e.owner, e.due_at, e.lease_until,
               e.error_class, e.sql_state, e.error
          from idembox_entry e
          join idembox_ledger l on l.consumer_id = e.consumer_id and l.source_id = e.source_id and l.id = e.id
         where e.generation <> 0 or e.variant <> l.variant) m
  join idembox_consumer c on c.consumer_id = m.consumer_id and not c.alias
  join idembox_source s on s.source_id = m.source_id
  left join idembox_outcome o on o.arrival = m.arrival and o.generation = m.generation and o.variant = m.variant
  left join idembox_body b on b.arrival = m.arrival and b.variant = m.variant and b.revision = 0;

insert into idembox_schema (version) values (1);
