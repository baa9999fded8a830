// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Forgetting what is finished. */
enum RetentionStatement implements SqlStatement {
    /** How large the ledger is. */
    COUNT_PAGES("""
            select pg_relation_size(cast('{prefix}ledger' as regclass)) / cast(current_setting('block_size') as int)
            """, null),

    /**
     * What is completed, on some pages: no entry at all, not even of a conflicting payload. What brings such a message back is
     * kept away: one that is sent again is refused when its time is almost over, and a replay waits at the door. So one statement
     * may look and delete. Rows that somebody holds are left for the next round.
     */
    PURGE("""
            with old as materialized (
                 select l.consumer_id, l.source_id, l.id, l.arrival
                   from {prefix}ledger l
                  where l.consumer_id = ?
                    and l.ctid >= cast(? as tid)
                    and l.ctid < cast(? as tid)
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
                           and e.state in {states})
                    and not exists (
                        select 1
                          from {prefix}entry c
                         where c.original = l.arrival)
                  limit ?
                    for update skip locked),
            gone as (
                 delete from {prefix}ledger l
                  using old
                  where l.consumer_id = old.consumer_id
                    and l.source_id = old.source_id
                    and l.id = old.id
                    and l.arrival = old.arrival
                 returning l.arrival),
            """ + Texts.WITHOUT_MARK + """
            select count(*)
              from gone
            """, null),

    /**
     * What was discarded long enough ago. It begins with the entry and holds it: one that is restored meanwhile is looked at
     * again by the database, found not to be discarded any more, and stays with its mark. A discarded conflict leaves its
     * body behind, which is its mark, until the mark of the message goes.
     */
    PURGE_DISCARDED("""
            with dead as materialized (
                 select e.consumer_id, e.arrival, e.original, coalesce(e.source_id, b.source_id) as source_id,
                        coalesce(e.id, b.id) as id
                   from {prefix}entry e
                   left join {prefix}body b
                     on b.arrival = e.arrival
                    and b.revision = 0
                  where e.consumer_id = ?
                    and e.state = 'DISCARDED'
                    and e.changed_at < (select {before})
                    and not exists (
                        select 1
                          from {prefix}entry c
                         where c.original = e.arrival)
                  limit ?
                    for update of e skip locked),
            buried as (
                 delete from {prefix}entry e
                  using dead
                  where e.consumer_id = dead.consumer_id
                    and e.state = 'DISCARDED'
                    and e.arrival = dead.arrival
                 returning e.arrival),
            gone as (
                 delete from {prefix}ledger l
                  using dead
                  where dead.original is null
                    and l.consumer_id = dead.consumer_id
                    and l.source_id = dead.source_id
                    and l.id = dead.id
                    and l.arrival = dead.arrival
                 returning l.arrival),
            """ + Texts.WITHOUT_MARK + """
            select count(*)
              from buried
            """, null),

    /** How far a round of forgetting keys goes. */
    FIND_LAST_KEY("""
            select max(key_id) as last_key
              from (select key_id
                      from {prefix}key
                     where key_id > ?
                     order by key_id
                     limit ?) k
            """),

    /** Keys that nothing hangs on; those that somebody holds are not idle. Looked up key by key, whatever was analysed. */
    LOCK_IDLE_KEYS("""
            select k.key_id
              from {prefix}key k
             where k.key_id > ?
               and k.key_id <= ?
               and %s
               for update skip locked
            """.formatted(Texts.IDLE)),

    /**
     * A statement of its own behind the locks: it sees what was committed before they were granted. Whoever waits for one of
     * these keys finds it gone and inserts it anew.
     */
    FORGET_KEYS("""
            delete from {prefix}key k
             where k.key_id = any (?)
               and %s
            """.formatted(Texts.IDLE)),

    /** What nobody has started for long. */
    FIND_OLD_PLANS("""
            select campaign_id
              from {prefix}campaign
             where state = 'PLANNED'
               and changed_at < {before}
             order by planned_at
             limit ?
            """),

    /** Whoever starts one at this moment is waited for, and has it. */
    FORGET_PLANS("""
            delete from {prefix}campaign
             where campaign_id = any (?)
               and state = 'PLANNED'
            """),

    /** Behind the deletion, which somebody who was faster has not let happen. */
    FORGET_PLANNED_STEPS("""
            delete from {prefix}campaign_step s
             where s.campaign_id = any (?)
               and not exists (
                   select 1 from {prefix}campaign c where c.campaign_id = s.campaign_id)
            """),

    /** H2: the same look; the caller deletes what it finds, in the same transaction. */
    FIND_OLD(Texts.NOT_NEEDED, """
            select l.source_id, l.id, l.arrival
              from {prefix}ledger l
             where l.consumer_id = ?
               and l.received_at < {before}
               and not exists (
                   select 1 from {prefix}outcome o where o.arrival = l.arrival and o.settled_at >= {before})
               and not exists (
                   select 1 from {prefix}entry e where e.arrival = l.arrival or e.original = l.arrival)
             limit ?
               for update skip locked
            """),

    /** H2: the same look at what was discarded; an entry that is restored meanwhile is held, and skipped. */
    FIND_DISCARDED(Texts.NOT_NEEDED, """
            select e.arrival, e.original,
                   coalesce(e.source_id, (select b.source_id from {prefix}body b where b.arrival = e.arrival and b.revision = 0))
                   as source_id,
                   coalesce(e.id, (select b.id from {prefix}body b where b.arrival = e.arrival and b.revision = 0)) as id
              from {prefix}entry e
             where e.consumer_id = ?
               and e.state = 'DISCARDED'
               and e.changed_at < {before}
               and not exists (
                   select 1 from {prefix}entry c where c.original = e.arrival)
             limit ?
               for update skip locked
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
             where consumer_id = ?
               and state = 'DISCARDED'
               and arrival = ?
            """),

    FORGET_BODY(Texts.NOT_NEEDED, """
            delete from {prefix}body
             where arrival = ? or original = ?
            """),

    FORGET_ATTEMPTS(Texts.NOT_NEEDED, """
            delete from {prefix}attempt
             where arrival = ?
                or arrival in (select b.arrival from {prefix}body b where b.original = ?)
            """),

    FORGET_STEPS(Texts.NOT_NEEDED, """
            delete from {prefix}step
             where arrival = ?
                or arrival in (select b.arrival from {prefix}body b where b.original = ?)
            """),

    FORGET_OUTCOME(Texts.NOT_NEEDED, """
            delete from {prefix}outcome
             where arrival = ?
                or arrival in (select b.arrival from {prefix}body b where b.original = ?)
            """);

    private final Template template;

    RetentionStatement(String standard) {
        this(standard, standard);
    }

    RetentionStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
