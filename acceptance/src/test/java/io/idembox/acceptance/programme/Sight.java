// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * The database as it is seen by somebody who only looks. Every look has a connection of its own: the server may have ended since
 * the last one. Thread-safe.
 */
public class Sight {

    private final DataSource dataSource;

    public Sight(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public final String server() throws SQLException {
        return one("select 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')"
                + " || ', synchronous_commit ' || current_setting('synchronous_commit')");
    }

    /** The tokens of the leases that a process has. */
    public List<String> leasesOf(long process) throws SQLException {
        return list("select cast(token as text) from idembox_lease where node like '%/" + process + "/%'");
    }

    public final boolean anyLeaseOf(List<String> tokens) throws SQLException {
        return "t"
                .equals(one("select exists (select 1 from idembox_lease where cast(token as text) in ('"
                        + String.join("', '", tokens) + "'))"));
    }

    /** Whether somebody works, or could. What waits for nobody is left to the checks. */
    public final boolean isBusy() throws SQLException {
        return "t"
                .equals(one("select exists (select 1 from idembox_lease) or exists ("
                        + "select 1 from idembox_entry where state in ('RECEIVED', 'FAILED_RETRYABLE'))"));
    }

    protected final String one(String query) throws SQLException {
        return list(query).get(0);
    }

    protected final List<String> list(String query) throws SQLException {
        List<String> found = new ArrayList<>();
        forRows(query, row -> found.add(row.getString(1)));
        return found;
    }

    /** What one row says. */
    protected interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    protected final void forRows(String query, RowReader reader) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    protected final void run(String command) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }
}
