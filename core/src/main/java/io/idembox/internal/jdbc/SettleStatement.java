// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Writing how messages ended. */
enum SettleStatement implements SqlStatement {
    /** A body, unless it is there. Its row count decides whether a conflict is new. */
    INSERT_BODY(Texts.INSERT_BODY + """
                on conflict do nothing
            """, Texts.INSERT_BODY),

    INSERT_ENTRY("""
            insert into {prefix}entry (arrival, consumer_id, failures, crashes, releases, state, owner, key_id, sequence_no,
                   original, source_id, id, reason, error_kind, error_class, sql_state, error, failure_group, due_at,
                   changed_at)
            values (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {due}, {now})
            """),

    /** Stored while redelivery owned it: the inbox's from now on, and due. */
    ADOPT_ENTRY("""
            update {prefix}entry
               set owner = 'INBOX',
                   due_at = {now}
             where consumer_id = ?
               and state = ?
               and arrival = ?
            """),

    /** A failed attempt of an entry that is ours: it has to be where it was when we got it. */
    FAIL_ENTRY("""
            update {prefix}entry
               set state = ?,
                   owner = ?,
                   reason = ?,
                   failures = ?,
                   error_kind = ?,
                   error_class = ?,
                   sql_state = ?,
                   error = ?,
                   failure_group = ?,
                   due_at = {due},
                   changed_at = {now}
             where consumer_id = ?
               and state = ?
               and arrival = ?
            """),

    /** An entry of a torn transaction: nobody knows whose it is, so nobody is asked. */
    PARK_ENTRY("""
            update {prefix}entry
               set state = 'PARKED',
                   reason = ?,
                   error_kind = ?,
                   error_class = ?,
                   sql_state = ?,
                   error = ?,
                   failure_group = ?,
                   due_at = null,
                   changed_at = {now}
             where consumer_id = ?
               and arrival = ?
               and state in {states}
            """),

    /** The only way an entry leaves: settled. It has to be where it was when we got it; the row count tells. */
    SETTLE_ENTRIES("""
            delete from {prefix}entry
             where consumer_id = ?
               and state = ?
               and arrival = any (?)
            """),

    /** When it began is told by how long it took: the clocks of nodes may differ from each other's. */
    INSERT_ATTEMPT("""
            insert into {prefix}attempt (arrival, number, node, started_at, ended_at, outcome, error_kind, error_class,
                   sql_state, error, stack_trace, trace_id)
            values (?, ?, ?, {before}, {now}, ?, ?, ?, ?, ?, ?, ?)
            """),

    /** Many that ended alike. */
    INSERT_OUTCOMES("""
            insert into {prefix}outcome (arrival, settled_at, attempts)
            select a.arrival, {now}, cast(? as int)
              from unnest(cast(? as bigint array)) as a(arrival)
            """),

    INSERT_OUTCOME("""
            insert into {prefix}outcome (arrival, settled_at, attempts, result, result_type)
            values (?, {now}, ?, ?, ?)
            """),

    /** Marks of this very transaction are taken back; nobody has seen them. */
    UNRECORD_MARK("""
            delete from {prefix}ledger
             where consumer_id = ?
               and source_id = ?
               and id = ?
               and arrival = ?
            """),

    UNRECORD_BODY("""
            delete from {prefix}body
             where arrival = ?
            """);

    private final Template template;

    SettleStatement(String standard) {
        this(standard, standard);
    }

    SettleStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
