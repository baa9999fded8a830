// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.Inbox;
import io.idembox.acceptance.engine.CaseDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * A database on which cases run one after the other. The state in which the cases of a fixture begin is set up once, kept in
 * tables beside, and copied back before each case.
 */
final class Ground extends CaseDatabase {

    private static final List<String> TABLES = List.of(
            "idembox_consumer",
            "idembox_key",
            "idembox_sequence",
            "idembox_ledger",
            "idembox_body",
            "idembox_entry",
            "idembox_lease",
            "idembox_partition",
            "idembox_attempt",
            "idembox_outcome",
            "idembox_operation",
            "idembox_audit_head",
            "idembox_campaign",
            "idembox_campaign_step",
            "idembox_note",
            "idembox_step",
            "effect",
            "step_effect");

    private static final int CASES_BETWEEN_VACUUMS = 100;

    private final Connection monitor;
    private int cases;

    Ground(PostgresServer server) {
        super(server.freshDatabase().jdbcUrl(), "postgres", 24);
        execute("create table effect (seq bigserial, id text not null);"
                + "create table step_effect (seq bigserial, id text not null)");
        // For its tables only; cases have nodes of their own.
        Inbox.on(dataSource()).allowUnsafeDurability().createSchema().start().close();
        try {
            this.monitor = dataSource().getConnection();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    /** A server on which nothing has to survive: its cases end no process. */
    static PostgresServer server() {
        return PostgresServer.builder()
                .setting("fsync", "off")
                .setting("full_page_writes", "off")
                .setting("autovacuum", "off")
                .setting("jit", "off")
                // Guarantees of the outbox are about the order of commits.
                .setting("track_commit_timestamp", "on")
                .setting("deadlock_timeout", "100ms")
                .start();
    }

    /** Whether one of the sessions waits for a lock that another session holds. */
    synchronized boolean isBlocked(Collection<Integer> sessions) {
        if (sessions.isEmpty()) {
            return false;
        }
        try (PreparedStatement statement = monitor.prepareStatement(
                "select pid from pg_stat_activity where pid = any (?) and wait_event_type = 'Lock'"
                        + " and cardinality(pg_blocking_pids(pid)) > 0")) {
            statement.setArray(1, monitor.createArrayOf("int4", sessions.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    synchronized void terminate(Collection<Integer> sessions) {
        try (PreparedStatement statement =
                monitor.prepareStatement("select pg_terminate_backend(pid) from unnest(?) as pid")) {
            statement.setArray(1, monitor.createArrayOf("int4", sessions.toArray()));
            statement.execute();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Nothing is there any more but the schema. */
    void clean() {
        StringBuilder sql = new StringBuilder();
        TABLES.forEach(table -> sql.append("delete from ").append(table).append(';'));
        execute(sql + "insert into idembox_audit_head (number, seal) values (0, '')");
        if (++cases % CASES_BETWEEN_VACUUMS == 0) {
            execute("vacuum");
        }
    }

    /** Keeps the state of all tables under that name. */
    void keep(String name) {
        StringBuilder sql = new StringBuilder();
        TABLES.forEach(
                table -> sql.append("create table kept_%s_%s as table %s;".formatted(suffix(name), table, table)));
        execute(sql.toString());
    }

    private static String suffix(String name) {
        return name.replace('-', '_');
    }

    /** Brings a state back. */
    void restore(String name) {
        StringBuilder sql = new StringBuilder();
        TABLES.forEach(table -> sql.append("delete from %s;".formatted(table)));
        TABLES.forEach(
                table -> sql.append("insert into %s select * from kept_%s_%s;".formatted(table, suffix(name), table)));
        execute(sql.toString());
        if (++cases % CASES_BETWEEN_VACUUMS == 0) {
            execute("vacuum");
        }
    }
}
