// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

/** Stopping a consumer by hand. Its row is the gate of its claims, so no claim is under way when it is paused. */
enum PauseStatement implements SqlStatement {
    PAUSE("""
            update {prefix}consumer
               set paused_at = {now},
                   paused_by = ?,
                   pause_reason = ?
             where consumer_id = ?
               and not alias
               and paused_at is null
            """),

    RESUME("""
            update {prefix}consumer
               set paused_at = null,
                   paused_by = null,
                   pause_reason = null
             where consumer_id = ?
               and not alias
               and paused_at is not null
            """),

    FIND_PAUSE("""
            select paused_by, pause_reason
              from {prefix}consumer
             where consumer_id = ?
               and not alias
               and paused_at is not null
            """);

    private final Template template;

    PauseStatement(String standard) {
        this.template = new Template(standard, standard);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
