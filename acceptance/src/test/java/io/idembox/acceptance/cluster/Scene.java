// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The database as it is seen by somebody who only looks. Not thread-safe. */
final class Scene implements AutoCloseable {

    private final Connection connection;

    Scene(Connection connection) {
        this.connection = connection;
    }

    /**
     * The business table. It has no unique key: a second effect has to be seen, not refused. The number is drawn when the
     * row is written, so it tells which of two effects came first, if the later one began after the earlier was committed.
     */
    void createEffects() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    create table effect (
                        written     bigint generated always as identity,
                        id          varchar(100) not null,
                        message_key varchar(100) not null,
                        place       int          not null,
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

    /** Whether somebody works, or could. What waits for nobody is left to the checks. */
    boolean isBusy() throws SQLException {
        return "t"
                .equals(one("select exists (select 1 from idembox_lease) or exists ("
                        + "select 1 from idembox_entry where state in ('RECEIVED', 'FAILED_RETRYABLE'))"));
    }

    private String one(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** What one row says. */
    interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    void forRows(String query, RowReader reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
