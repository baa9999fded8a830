// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Forgetting what is finished. */
enum RetentionStatement implements Statement {
    /**
     * One statement, so that nothing can become unfinished between the look and the deletion; rows that somebody holds are
     * left for the next round. An entry keeps its mark, and so does one of a conflicting payload; a discarded one goes with
     * it, when it was discarded long enough ago.
     */
    PURGE("""
            with old as materialized (
                 select l.consumer_id, l.source_id, l.id, l.arrival
                   from {prefix}ledger l
                  where l.consumer_id = ?
                    and l.received_at < (select {before})
                    and not exists (
                        select 1
                          from {prefix}outcome o
                         where o.arrival = l.arrival
                           and o.settled_at >= (select {before}))
                    and not exists (
                        select 1
                          from {prefix}entry e
                         where e.consumer_id = l.consumer_id
                           and e.arrival = l.arrival
                           and e.state in {states}
                           and (e.state <> 'DISCARDED' or e.changed_at >= (select {before})))
                    and not exists (
                        select 1
                          from {prefix}entry c
                         where c.original = l.arrival
                           and (c.state <> 'DISCARDED' or c.changed_at >= (select {before})))
                  limit ?
                    for update skip locked),
            gone as (
                 delete from {prefix}ledger l
                  using old
                  where l.consumer_id = old.consumer_id
                    and l.source_id = old.source_id
                    and l.id = old.id
                    and l.arrival = old.arrival
                 returning l.consumer_id, l.arrival),
            discarded as (
                 delete from {prefix}entry e
                  using gone
                  where e.consumer_id = gone.consumer_id
                    and e.state = 'DISCARDED'
                    and (e.arrival = gone.arrival or e.original = gone.arrival)),
            bodies as (
                 delete from {prefix}body b
                  using gone
                  where b.arrival = gone.arrival),
            conflicts as (
                 delete from {prefix}body b
                  using gone
                  where b.original = gone.arrival),
            attempts as (
                 delete from {prefix}attempt a
                  using gone
                  where a.arrival = gone.arrival),
            steps as (
                 delete from {prefix}step s
                  using gone
                  where s.arrival = gone.arrival),
            outcomes as (
                 delete from {prefix}outcome o
                  using gone
                  where o.arrival = gone.arrival)
            select count(*)
              from gone
            """, null),

    /** H2: the same look; the caller deletes what it finds, in the same transaction. */
    FIND_OLD(Texts.NOT_NEEDED, """
            select l.source_id, l.id, l.arrival
              from {prefix}ledger l
             where l.consumer_id = ?
               and l.received_at < {before}
               and not exists (
                   select 1 from {prefix}outcome o where o.arrival = l.arrival and o.settled_at >= {before})
               and not exists (
                   select 1
                     from {prefix}entry e
                    where (e.arrival = l.arrival or e.original = l.arrival)
                      and (e.state <> 'DISCARDED' or e.changed_at >= {before}))
             limit ?
               for update
            """),

    FORGET_MARK(Texts.NOT_NEEDED, """
            delete from {prefix}ledger
             where consumer_id = ?
               and source_id = ?
               and id = ?
               and arrival = ?
            """),

    FORGET_ENTRY(Texts.NOT_NEEDED, """
            delete from {prefix}entry
             where (arrival = ? or original = ?)
               and state = 'DISCARDED'
            """),

    FORGET_BODY(Texts.NOT_NEEDED, """
            delete from {prefix}body
             where arrival = ? or original = ?
            """),

    FORGET_ATTEMPTS(Texts.NOT_NEEDED, """
            delete from {prefix}attempt
             where arrival = ?
            """),

    FORGET_STEPS(Texts.NOT_NEEDED, """
            delete from {prefix}step
             where arrival = ?
            """),

    FORGET_OUTCOME(Texts.NOT_NEEDED, """
            delete from {prefix}outcome
             where arrival = ?
            """);

    private final Template template;

    RetentionStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
