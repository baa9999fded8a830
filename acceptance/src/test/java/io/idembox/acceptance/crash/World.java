// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Inbox;
import io.idembox.acceptance.engine.CaseDatabase;
import io.idembox.internal.jdbc.Database;
import io.idembox.testkit.postgres.PostgresServer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;

/** A real database with the inbox tables and a table whose rows are the effects: two rows per handled message. */
final class World extends CaseDatabase {

    static {
        // The pool looks at every connection before it hands it out: cut ones are thrown away at once.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "-1");
    }

    private final Database database;
    private final Inbox bystander;

    World(Database database) {
        super(freshUrl(database), database == Database.H2 ? "sa" : "postgres", 16);
        this.database = database;
        execute(
                "create table effect (seq bigint generated always as identity, id varchar(100) not null, part varchar(10) not null)");
        execute("create index effect_id on effect (id)");
        execute("create table taken (id int primary key, version bigint)");
        execute("insert into taken (id) values (1)");
        // By a clock that stands still, before all stories: its janitor must not take leases away from them.
        this.bystander = Inbox.on(dataSource())
                .clock(InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")))
                .createSchema()
                .start();
    }

    private static String freshUrl(Database database) {
        return database == Database.H2
                ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"
                : PostgresServer.shared().freshDatabase().jdbcUrl();
    }

    Database database() {
        return database;
    }

    String schema() {
        return database == Database.H2 ? "PUBLIC" : "public";
    }

    /** An inbox of somebody else on the same tables. */
    Inbox bystander() {
        return bystander;
    }

    /** What a story left behind; looking at few rows is what makes the next ones fast. */
    void clean() {
        for (String table : List.of(
                "entry",
                "lease",
                "body",
                "ledger",
                "attempt",
                "outcome",
                "step",
                "key",
                "sequence",
                "operation",
                "campaign",
                "campaign_step",
                "note",
                "partition")) {
            execute("delete from idembox_" + table);
        }
        execute("update idembox_audit_head set number = 0, seal = ''");
        execute("delete from effect");
    }
}
