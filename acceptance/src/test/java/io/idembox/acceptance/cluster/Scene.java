// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

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

    /** The tokens of the leases that a process has. */
    List<String> leasesOf(long process) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select cast(token as text) from idembox_lease where node like ?")) {
            statement.setString(1, "%/" + process + "/%");
            try (ResultSet rows = statement.executeQuery()) {
                List<String> tokens = new ArrayList<>();
                while (rows.next()) {
                    tokens.add(rows.getString(1));
                }
                return tokens;
            }
        }
    }

    boolean anyLeaseOf(List<String> tokens) throws SQLException {
        Array wanted = connection.createArrayOf("text", tokens.toArray());
        try (PreparedStatement statement = connection.prepareStatement(
                "select exists (select 1 from idembox_lease where cast(token as text) = any (?))")) {
            statement.setArray(1, wanted);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getBoolean(1);
            }
        }
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
