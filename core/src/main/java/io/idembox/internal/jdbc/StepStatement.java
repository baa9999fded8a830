// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Steps that are finished before their message is. */
enum StepStatement implements SqlStatement {
    /** The wait for locks is bounded until the end of the transaction. */
    BEGIN_STEP("""
            set transaction isolation level read committed;
            select set_config('lock_timeout', ?, true);
            savepoint idembox_batch
            """, null),

    FIND_STEPS("""
            select name, result, result_type
              from {prefix}step
             where arrival = ?
            """),

    /** H2: the fence of a step, held until its commit. */
    LOCK_LEASE(Texts.NOT_NEEDED, """
            select token
              from {prefix}lease
             where token = ?
               for update
            """),

    /** Fenced: the row of the lease has to be there, and is held until the commit. */
    INSERT_STEP("""
            with ours as materialized (
                 select token
                   from {prefix}lease
                  where token = ?
                    for update)
            insert into {prefix}step (arrival, name, finished_at, node, result, result_type)
            select cast(? as bigint), cast(? as varchar), {now}, cast(? as varchar), cast(? as bytea), cast(? as varchar)
              from ours
            """, """
            insert into {prefix}step (arrival, name, finished_at, node, result, result_type)
            values (?, ?, {now}, ?, ?, ?)
            """);

    private final Template template;

    StepStatement(String standard) {
        this(standard, standard);
    }

    StepStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
