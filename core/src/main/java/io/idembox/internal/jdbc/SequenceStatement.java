// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

/** How far the sequences of keys have come, and what is missing in them. */
enum SequenceStatement implements SqlStatement {

    /** A sequence begins, or goes on. Two in one batch of the same key cannot be: the caller keeps the highest. */
    ADVANCE("""
            insert into {prefix}sequence as p (key_id, generation, consumer_id, reached)
            select a.key_id, cast(? as int), cast(? as int), a.reached
              from unnest(cast(? as bigint[]), cast(? as bigint[])) as a(key_id, reached)
                on conflict (key_id, generation) do update
                   set reached = excluded.reached
                 where p.reached < excluded.reached
            """, """
            merge into {prefix}sequence p
            using (select cast(? as int) as generation, cast(? as int) as consumer_id, cast(? as bigint) as key_id,
                          cast(? as bigint) as reached) a
               on p.key_id = a.key_id and p.generation = a.generation
             when matched and p.reached < a.reached then update set reached = a.reached
             when not matched then insert (key_id, generation, consumer_id, reached)
                  values (a.key_id, a.generation, a.consumer_id, a.reached)
            """),

    /** Since when the first message of a key has been waiting for one that has not come; null when it is not. */
    WATCH("""
            update {prefix}sequence p
               set gap_since = case when %1$s then coalesce(p.gap_since, cast({now} as timestamp(6) with time zone)) end
             where p.generation = 0
               and p.key_id = any (?)
               and (p.gap_since is null) = (%1$s)
            """.formatted(Texts.GAP)),

    FIND_REACHED("""
            select key_id, reached
              from {prefix}sequence
             where generation = ?
               and key_id = any (?)
            """),

    FIND_GAPS("""
            select p.key_id, k.name, p.reached,
                   (select min(w.sequence_no) from {prefix}entry w where w.key_id = p.key_id and w.state = 'WAITING') as sequence_no
              from {prefix}sequence p
              join {prefix}key k
                on k.key_id = p.key_id
             where p.consumer_id = ?
               and p.generation = 0
               and p.gap_since < {before}
               and %s
             order by p.gap_since
             limit ?
            """.formatted(Texts.GAP)),

    /**
     * What waits behind a gap is set aside, if the gap is the same still: what was missing may have come and be unfinished,
     * then it is no gap any more.
     */
    PARK_BEHIND_GAP("""
            update {prefix}entry e
               set state = 'PARKED',
                   reason = 'GAP',
                   error_kind = 'PARK',
                   error_class = 'Gap',
                   sql_state = null,
                   error = ?,
                   failure_group = null,
                   changed_at = {now}
             where e.consumer_id = ?
               and e.state = 'WAITING'
               and e.key_id = ?
               and e.sequence_no = ?
               and exists (
                   select 1
                     from {prefix}sequence p
                    where p.key_id = e.key_id
                      and p.generation = 0
                      and p.reached = ?
                      and p.gap_since < {before}
                      and %s)
            """.formatted(Texts.GAP)),

    /** Messages that were parked behind a gap, if their bodies are kept; the key is locked. */
    LOAD_PARKED_BEHIND_GAP(
            Texts.LOADED + """
              from {prefix}entry e
            """ + Texts.NEWEST_BODY + """
             where e.consumer_id = ?
               and e.state = 'PARKED'
               and e.reason = 'GAP'
               and e.key_id = ?
               and e.sequence_no = ?
             order by e.arrival
            """, Texts.LOADED + """
              from {prefix}entry e
            """ + Texts.NEWEST_BODY_H2 + """
             where e.consumer_id = ?
               and e.state = 'PARKED'
               and e.reason = 'GAP'
               and e.key_id = ?
               and e.sequence_no = ?
             order by e.arrival
            """),

    /** What is missing is given up, if the gap is the same still. */
    SKIP_GAP("""
            update {prefix}sequence p
               set reached = ?,
                   gap_since = null
             where p.key_id = ?
               and p.generation = 0
               and p.reached = ?
               and p.gap_since < {before}
               and %s
            """.formatted(Texts.GAP)),

    /** The time of a gap begins anew, if it is the same still. */
    RESTART_GAP("""
            update {prefix}sequence p
               set gap_since = {now}
             where p.key_id = ?
               and p.generation = 0
               and p.reached = ?
               and p.gap_since < {before}
               and %s
            """.formatted(Texts.GAP));

    private final Template template;

    SequenceStatement(String standard) {
        this(standard, standard);
    }

    SequenceStatement(String postgresql, String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
