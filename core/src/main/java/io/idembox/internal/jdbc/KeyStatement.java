// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Keeping the messages of a key in order. */
enum KeyStatement implements SqlStatement {
    /**
     * Inserts or locks keys, in the order of their names on every node, with a bounded wait; then, in a statement of its own
     * that sees everything committed before the locks were granted, looks who is in front of each.
     */
    LOCK_KEYS(Texts.BOUND_THE_WAIT + Texts.LOCK_KEYS, null),

    /**
     * The same as the first step of recording: arrival numbers are drawn under the locks. The lock against replays is taken before
     * the keys: otherwise a replay that waits for a key and the holder of the key that waits for the replay would block each other.
     */
    LOCK_KEYS_FIRST("""
            set transaction isolation level read committed;
            """ + Texts.BOUND_THE_WAIT_AND_ENTER + Texts.LOCK_KEYS, null),

    INSERT_KEY(Texts.NOT_NEEDED, """
            insert into {prefix}key (consumer_id, name, key_id)
            values (?, ?, next value for {prefix}key_number)
            """),

    LOCK_KEY(Texts.NOT_NEEDED, """
            select key_id
              from {prefix}key
             where consumer_id = ?
               and name = ?
               for update
            """),

    /** Who is in front; H2. */
    FIND_FIRST(Texts.NOT_NEEDED, """
            select arrival, state, sequence_no
              from {prefix}entry
             where key_id = ?
               and state = any (?)
             order by sequence_no nulls first, arrival
             limit 1
            """),

    /** Keys that the transaction holds already; for others it waits as long as it takes. */
    RELOCK_KEYS(Texts.RELOCK_KEYS),

    /**
     * For settling, with a bounded wait for all of them together, in one round trip. In the order in which deliveries lock them:
     * to take the free ones first and then to wait for the others could block a delivery that waits for one of the free ones.
     */
    RELOCK_KEYS_WITHIN(
            """
            savepoint idembox_wait;
            """ + Texts.BOUND_THE_WAIT + Texts.RELOCK_KEYS + ";\n" + Texts.UNBOUND_THE_WAIT + """
            release savepoint idembox_wait
            """, Texts.NOT_NEEDED),

    /** Keys in the order in which every transaction locks them; H2. */
    FIND_KEYS_IN_ORDER(Texts.NOT_NEEDED, """
            select key_id
              from {prefix}key
             where key_id = any (?)
             order by consumer_id, name
            """),

    /** Keys that no other transaction holds. */
    LOCK_FREE_KEYS("""
            select key_id
              from {prefix}key
             where key_id = any (?)
             order by consumer_id, name
               for update skip locked
            """),

    /** Who waits for his turn, and whether anybody of his key is at it. */
    FIND_STRAGGLERS("""
            select w.arrival, w.key_id,
                   exists (select 1
                             from {prefix}entry a
                            where a.key_id = w.key_id
                              and a.state in ('RECEIVED', 'FAILED_RETRYABLE')) as busy
              from {prefix}entry w
             where w.consumer_id = ?
               and w.state = 'WAITING'
               and w.owner = 'INBOX'
               and w.arrival > ?
             order by w.arrival
             limit ?
            """),

    INSERT_KEYED("""
            insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, sequence_no)
            values (?, ?, 0, 0, 0, ?, ?, ?, ?)
            """),

    /**
     * The first unfinished one of each key, if it waits, nobody is at work, and nothing in front of it is missing. In a replay
     * nothing is missing that will ever come, and whoever it has not let go yet stays where he is. One that
     * was redriven after it had ended processes is due among the failed ones, where such are claimed alone. Key by
     * key, each with its own look into the index: joined, a plan that was made before anything was analysed reads all that
     * wait, for every key. The range of arrival numbers is for PostgreSQL 15 and 16, whose plans would otherwise read all waiting
     * entries of the consumer and compare each with the array. One is subtracted from the place, because the position plus one may
     * overflow.
     */
    PROMOTE("""
            with next as materialized (
                 select f.arrival
                   from unnest(cast(? as bigint[])) as k(key_id)
                  cross join lateral (
                        select w.arrival, w.state, w.sequence_no, w.owner, w.generation
                          from {prefix}entry w
                         where w.key_id = k.key_id
                           and w.state = any (?)
                         order by w.sequence_no nulls first, w.arrival
                         limit 1) f
                   left join lateral (
                        select a.arrival
                          from {prefix}entry a
                         where a.key_id = k.key_id
                           and a.state in ('RECEIVED', 'FAILED_RETRYABLE')
                         order by a.sequence_no nulls first, a.arrival
                         limit 1) busy
                     on true
                  where f.state = 'WAITING'
                    and f.owner <> 'REPLAY'
                    and busy.arrival is null
                    and (not cast(? as boolean) or f.sequence_no is null or f.generation > 0 or f.sequence_no - 1 <= (
                        select p.reached
                          from {prefix}sequence p
                         where p.key_id = k.key_id
                           and p.generation = 0)))
            update {prefix}entry e
               set state = case when e.crashes < 2 then 'RECEIVED' else 'FAILED_RETRYABLE' end,
                   due_at = case when e.crashes >= 2 then e.changed_at end
             where e.consumer_id = ?
               and e.state = 'WAITING'
               and e.arrival >= (select min(n.arrival) from next n)
               and e.arrival <= (select max(n.arrival) from next n)
               and e.arrival = any (array(select n.arrival from next n))
            """, """
            update {prefix}entry e
               set state = case when e.crashes < 2 then 'RECEIVED' else 'FAILED_RETRYABLE' end,
                   due_at = case when e.crashes >= 2 then e.changed_at end
             where e.consumer_id = ?
               and e.state = 'WAITING'
               and e.arrival = ?
               and (not cast(? as boolean) or e.sequence_no is null or e.sequence_no - 1 <= (
                   select p.reached
                     from {prefix}sequence p
                    where p.key_id = e.key_id
                      and p.generation = 0))
               and not exists (
                   select 1
                     from {prefix}entry a
                    where a.key_id = e.key_id
                      and a.state in ('RECEIVED', 'FAILED_RETRYABLE'))
            """);

    private final Template template;

    KeyStatement(String standard) {
        this(standard, standard);
    }

    KeyStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
