// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.internal.jdbc.Database;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** A real database with the inbox tables and a table whose rows are the effects: two rows per handled message. */
final class World implements AutoCloseable {

    static {
        // The pool looks at every connection before it hands it out: cut ones are thrown away at once.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "-1");
    }

    private final Database database;
    private final HikariDataSource pool;
    private final Inbox bystander;

    World(Database database) {
        this.database = database;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(
                database == Database.H2
                        ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"
                        : PostgresServer.shared().freshDatabase().jdbcUrl());
        config.setUsername(database == Database.H2 ? "sa" : "postgres");
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(2);
        config.setConnectionTimeout(20_000);
        this.pool = new HikariDataSource(config);
        execute(
                "create table effect (seq bigint generated always as identity, id varchar(100) not null, part varchar(10) not null)");
        execute("create index effect_id on effect (id)");
        execute("create table taken (id int primary key, version bigint)");
        execute("insert into taken (id) values (1)");
        // By a clock that stands still, before all stories: its janitor must not take leases away from them.
        this.bystander = Inbox.on(pool)
                .clock(InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")))
                .createSchema()
                .start();
    }

    Database database() {
        return database;
    }

    String schema() {
        return database == Database.H2 ? "PUBLIC" : "public";
    }

    DataSource dataSource() {
        return pool;
    }

    /** An inbox of somebody else on the same tables. */
    Inbox bystander() {
        return bystander;
    }

    void execute(String sql, String... args) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < args.length; i++) {
                statement.setString(i + 1, args[i]);
            }
            statement.execute();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The first column of all rows. */
    List<String> list(String query, String... args) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < args.length; i++) {
                statement.setString(i + 1, args[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<String> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(rows.getString(1));
                }
                return all;
            }
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
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
                "position",
                "operation",
                "campaign",
                "campaign_step",
                "note",
                "owner")) {
            execute("delete from idembox_" + table);
        }
        execute("update idembox_trail set number = 0, seal = ''");
        execute("delete from effect");
    }

    @Override
    public void close() {
        pool.close();
    }
}
