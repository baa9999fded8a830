// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Recording messages and finding those that are known. */
enum LedgerStatement implements SqlStatement {
    /**
     * Recording, PostgreSQL: all of it travels in one round trip. The first statement bounds the wait at the front door
     * and the third takes the bound away again before handlers run, because it would cut their own lock waits as well.
     */
    INSERT_MARKS("""
            set transaction isolation level read committed;
            """ + Texts.BOUND_THE_WAIT_AND_ENTER + """
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            select (select nextval('{prefix}arrival')) * 2048 + m.slot,
                   (select coalesce(cast(? as timestamptz), clock_timestamp())),
                   m.variant, ?, m.source_id, 'D', m.id
              from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[]), cast(? as uuid[]))
                as m(slot, source_id, id, variant)
                on conflict do nothing
            returning arrival;
            """ + Texts.UNBOUND_THE_WAIT + """
            savepoint idembox_batch;
            """ + Texts.KNOWN, null),

    /** The same for one message, which is what most people begin with: no arrays, a third less work for the server. */
    INSERT_ONE_MARK("""
            set transaction isolation level read committed;
            """ + Texts.BOUND_THE_WAIT_AND_ENTER + """
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            values (nextval('{prefix}arrival') * 2048 + ?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, 'D', ?)
                on conflict do nothing
            returning arrival;
            """ + Texts.UNBOUND_THE_WAIT + """
            savepoint idembox_batch;
            """ + Texts.KNOWN_ONE, null),

    /** The same with bodies, for consumers that keep them. */
    INSERT_MARKS_AND_BODIES(Texts.recordingBodies('D', Texts.BOUND_THE_WAIT_AND_ENTER, ""), null),

    /** The same with bodies and entries: stored now, worked on later. */
    INSERT_STORED(Texts.recordingBodies('S', Texts.BOUND_THE_WAIT, """
            ,
            e as (
                 insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner)
                 select l.arrival, l.consumer_id, 0, 0, 0, 'RECEIVED', 'INBOX'
                   from l
                  where l.arrival % 2 = 0
                  order by l.arrival)"""), null),

    /** Recording, one row: PostgreSQL's busy path, and H2. */
    INSERT_MARK("""
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            values (?, coalesce(cast(? as timestamptz), clock_timestamp()), ?, ?, ?, ?, ?)
                on conflict do nothing
            """, """
            insert into {prefix}ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)
            values (?, ?, ?, ?, ?, ?, ?)
            """),

    /** A stored message, row by row. */
    INSERT_RECEIVED("""
            insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner)
            values (?, ?, 0, 0, 0, 'RECEIVED', 'INBOX')
            """),

    NEXT_ARRIVAL("""
            select nextval('{prefix}arrival') * 2048
            """, """
            select next value for {prefix}arrival * 2048
            """),

    /** The same before rows are recorded one by one, and whether the names they are recorded under are known. */
    NEXT_ARRIVAL_AND_KNOWN("""
            select nextval('{prefix}arrival') * 2048 as arrival;
            """ + Texts.KNOWN, null),

    BOUND_THE_WAIT(Texts.BOUND_THE_WAIT, """
            set lock_timeout ?
            """),

    UNBOUND_THE_WAIT(Texts.UNBOUND_THE_WAIT, null),

    /** Inside until the end of the transaction; see {@link Texts#DOOR}. */
    ENTER("select pg_advisory_xact_lock_shared(" + Texts.DOOR + ")", null),

    /**
     * What is known about messages that were seen before. Each id is looked up by the key, whatever the planner thinks of
     * the tables: a cached plan that was made for a small ledger would otherwise read all of it once it is large.
     */
    FIND(Texts.ALONG_THE_KEYS + """
            select m.slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class, e.sql_state, e.error,
                   o.result, o.result_type
              from unnest(cast(? as int[]), cast(? as int[]), cast(? as bytea[])) as m(slot, source_id, id)
             cross join lateral (
                  select k.arrival, k.variant, k.consumer_id
                    from {prefix}ledger k
                   where k.consumer_id = ?
                     and k.source_id = m.source_id
                     and k.id = m.id
                   limit 1) l
              left join lateral (
                   select r.state, r.owner, r.error_kind, r.error_class, r.sql_state, r.error
                     from {prefix}entry r
                    where r.consumer_id = l.consumer_id
                      and r.arrival = l.arrival
                      and r.state in {states}
                      and r.generation = 0
                    limit 1) e
                on true
              left join {prefix}outcome o
                on o.arrival = l.arrival;
            """ + Texts.AS_BEFORE, """
            select cast(? as int) as slot, l.arrival, l.variant, e.state, e.owner, e.error_kind, e.error_class,
                   e.sql_state, e.error,
                   o.result, o.result_type
              from {prefix}ledger l
              left join {prefix}entry e
                on e.consumer_id = l.consumer_id
               and e.arrival = l.arrival
               and e.state in {states}
               and e.generation = 0
              left join {prefix}outcome o
                on o.arrival = l.arrival
             where l.consumer_id = ?
               and l.source_id = ?
               and l.id = ?
            """),

    /**
     * The claim of a redelivery: whoever gets the row lock and finds the entry still failed has it until the commit. H2
     * does not bound the wait for a row of a transaction in which a statement failed, so there it does not wait at all.
     */
    TAKE(Texts.TAKE + """
               for update
            """, Texts.TAKE + """
               for update nowait
            """);

    private final Template template;

    LedgerStatement(String standard) {
        this(standard, standard);
    }

    LedgerStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
