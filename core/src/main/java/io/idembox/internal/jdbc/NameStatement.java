// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Numbers of consumers and sources, statistics, and what is looked at before anything starts. */
enum NameStatement implements SqlStatement {
    FIND_CONSUMER("""
            select c.consumer_id, f.name as first_name
              from {prefix}consumer c
              join {prefix}consumer f
                on f.consumer_id = c.consumer_id
               and not f.alias
             where c.name = ?
            """),

    INSERT_CONSUMER("""
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, ?, false)
                on conflict do nothing
            """, """
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, ?, false)
            """),

    INSERT_ALIAS("""
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, ?, true)
                on conflict do nothing
            """, """
            insert into {prefix}consumer (name, consumer_id, alias)
            values (?, ?, true)
            """),

    FIND_ORDERING("""
            select ordering
              from {prefix}consumer
             where consumer_id = ?
               and not alias
            """),

    REPLACE_ORDERING("""
            update {prefix}consumer
               set ordering = ?
             where consumer_id = ?
               and not alias
               and ordering is not distinct from ?
            """),

    FIND_SOURCE("""
            select source_id
              from {prefix}source
             where name = ?
            """),

    INSERT_SOURCE("""
            insert into {prefix}source (name, source_id)
            values (?, ?)
                on conflict do nothing
            """, """
            insert into {prefix}source (name, source_id)
            values (?, ?)
            """),

    INSERT_TALLY("""
            insert into {prefix}receipt_count (consumer_id, minute_start, node, completed, duplicates, skipped, stored, busy, failed,
                   refused)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """),

    FIND_VERSION("""
            select max(version)
              from {prefix}schema
            """),

    FIND_PROBE("""
            select count(*)
              from {prefix}ledger
             where consumer_id = 0
               and source_id = 0
               and id = ?
            """);

    private final Template template;

    NameStatement(String standard) {
        this(standard, standard);
    }

    NameStatement(String postgresql, @Nullable String h2) {
        this.template = new Template(postgresql, h2);
    }

    @Override
    public String text(Database database) {
        return template.in(database);
    }
}
