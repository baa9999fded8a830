// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Empties the tables of a test's database and reads those of the application. Stateless. */
final class TestTables {

    private static final int ROWS_COMPARED = 10_000;
    private static final Set<String> MIGRATIONS =
            Set.of("flyway_schema_history", "schema_version", "databasechangelog", "databasechangeloglock");

    private static final String RESTART_SEQUENCES = """
            select setval(cast(format('%I.%I', schemaname, sequencename) as regclass), start_value, false)
              from pg_sequences
             where schemaname = current_schema()
               and last_value is not null
            """;

    private TestTables() {}

    /** The content of one table: the number of rows, and a hash over the first ten thousand rows. */
    record Content(int rows, int hash) {}

    /** Deletes all rows, except those of tables that record the schema version. */
    static void empty(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(true);
            boolean h2 = connection.getMetaData().getDatabaseProductName().equals("H2");
            Set<String> tables = tablesOf(connection, connection.getSchema());
            List<String> names = new ArrayList<>();
            for (String table : tables) {
                if (!MIGRATIONS.contains(table.toLowerCase(Locale.ROOT)) && !isInboxVersion(table, tables)) {
                    names.add(quoted(table));
                }
            }
            if (names.isEmpty()) {
                return;
            }
            if (h2) {
                emptyH2(statement, names);
            } else {
                emptyPostgres(connection, statement, names);
            }
        }
    }

    /**
     * Deletes the rows, which for a few rows is a hundred times faster than truncating. Only a superuser may delete in
     * any order, so other users truncate.
     */
    private static void emptyPostgres(Connection connection, Statement statement, List<String> names)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            statement.execute("set local session_replication_role = replica");
            for (String name : names) {
                statement.addBatch("delete from " + name);
            }
            statement.executeBatch();
            statement.execute(RESTART_SEQUENCES);
            connection.commit();
        } catch (SQLException notAllowed) {
            connection.rollback();
            statement.execute("truncate table " + String.join(", ", names) + " restart identity cascade");
            connection.commit();
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** Whether this is the version table of an inbox, with any prefix. */
    private static boolean isInboxVersion(String table, Set<String> tables) {
        return tables.contains(table.replaceFirst("schema$", "ledger").replaceFirst("SCHEMA$", "LEDGER"))
                && table.toLowerCase(Locale.ROOT).endsWith("schema");
    }

    private static void emptyH2(Statement statement, List<String> names) throws SQLException {
        statement.execute("set referential_integrity false");
        try {
            for (String name : names) {
                statement.execute("truncate table " + name + " restart identity");
            }
        } finally {
            statement.execute("set referential_integrity true");
        }
    }

    /** The content of the application's tables, by table name. */
    static Map<String, Content> contents(DataSource database, String inboxPrefix) {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(true);
            return contents(connection, connection.getSchema(), inboxPrefix);
        } catch (SQLException error) {
            throw new IllegalStateException("The tables of the test could not be read", error);
        }
    }

    /** The content of the application's tables as this connection sees it, with its uncommitted writes. */
    static Map<String, Content> contents(Connection connection, String schema, String inboxPrefix) throws SQLException {
        Map<String, Content> contents = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            for (String table : tablesOf(connection, schema)) {
                String name = table.toLowerCase(Locale.ROOT);
                if (!MIGRATIONS.contains(name) && !name.startsWith(inboxPrefix)) {
                    contents.put(name, contentOf(statement, quoted(schema) + "." + quoted(table)));
                }
            }
        }
        return contents;
    }

    private static Content contentOf(Statement statement, String table) throws SQLException {
        int count = 0;
        int hash = 0;
        try (ResultSet rows = statement.executeQuery("select * from " + table)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                count++;
                if (count <= ROWS_COMPARED) {
                    List<String> row = new ArrayList<>(columns);
                    for (int column = 1; column <= columns; column++) {
                        row.add(String.valueOf(rows.getString(column)));
                    }
                    hash += row.hashCode(); // a sum, because rows have no defined order
                }
            }
        }
        return new Content(count, hash);
    }

    private static Set<String> tablesOf(Connection connection, String schema) throws SQLException {
        Set<String> tables = new HashSet<>();
        try (ResultSet rows = connection
                .getMetaData()
                .getTables(connection.getCatalog(), schema, "%", new String[] {"TABLE", "BASE TABLE"})) {
            while (rows.next()) {
                tables.add(rows.getString("TABLE_NAME"));
            }
        }
        return tables;
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
