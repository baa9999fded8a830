// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * The database as it is seen by somebody who only looks, and not through the proxy. Every look has a connection of its own: the
 * server may have ended since the last one.
 */
final class Scene {

    private final DataSource dataSource;

    Scene(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * The business table. It has no unique key: a second effect has to be seen, not refused. The number is drawn when the
     * row is written, so it tells which of two effects came first, if the later one began after the earlier was committed.
     */
    void createEffects() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    create table effect (
                        written     bigint generated always as identity,
                        consumer    varchar(20)  not null,
                        message_key varchar(100) not null,
                        place       int          not null,
                        id          varchar(100) not null,
                        process     bigint       not null,
                        attempt     int          not null)
                    """);
        }
    }

    String server() throws SQLException {
        return one("select 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')"
                + " || ', synchronous_commit ' || current_setting('synchronous_commit')");
    }

    int effects() throws SQLException {
        return Integer.parseInt(one("select count(*) from effect"));
    }

    /** The tokens of the leases that a process has. */
    List<String> leasesOf(long process) throws SQLException {
        List<String> tokens = new ArrayList<>();
        forRows(
                "select cast(token as text) from idembox_lease where node like '%/" + process + "/%'",
                row -> tokens.add(row.getString(1)));
        return tokens;
    }

    boolean anyLeaseOf(List<String> tokens) throws SQLException {
        return "t"
                .equals(one("select exists (select 1 from idembox_lease where cast(token as text) in ('"
                        + String.join("', '", tokens) + "'))"));
    }

    /** Whether somebody works, or could. What waits for nobody is left to the checks. */
    boolean isBusy() throws SQLException {
        return "t"
                .equals(one("select exists (select 1 from idembox_lease) or exists ("
                        + "select 1 from idembox_entry where state in ('RECEIVED', 'FAILED_RETRYABLE'))"));
    }

    /** Messages that are in the inbox or have an effect. */
    int known(String consumer) throws SQLException {
        return Integer.parseInt(one("select count(*) from idembox_inbox where consumer = '" + consumer + "'"));
    }

    History history(String consumer) throws SQLException {
        History history = new History(consumer);
        forRows(
                "select id, written from effect where consumer = '" + consumer + "' order by written",
                row -> history.effects()
                        .computeIfAbsent(row.getString(1), id -> new ArrayList<>())
                        .add(row.getLong(2)));
        forRows(
                "select message_id, status, reason, crashes, concat_ws(' ', 'owner', owner, 'due', due_at, 'attempts', attempts,"
                        + " 'position', channel, partition_no, offset_no, error_class) from idembox_inbox where consumer = '"
                        + consumer
                        + "'",
                row -> history.rows()
                        .put(
                                row.getString(1),
                                new History.Row(row.getString(2), row.getString(3), row.getInt(4), row.getString(5))));
        return history;
    }

    private String one(String query) throws SQLException {
        List<String> found = new ArrayList<>();
        forRows(query, row -> found.add(row.getString(1)));
        return found.get(0);
    }

    /** What one row says. */
    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private void forRows(String query, RowReader reader) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }
}
