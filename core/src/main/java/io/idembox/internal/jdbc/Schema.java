// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.SchemaMismatchException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shipped schema files: printed, applied, and compared with what is in the database. Thread-safe. */
public final class Schema {

    private static final Logger log = LoggerFactory.getLogger(Schema.class);

    /** The version this library works with. */
    static final int VERSION = 1;

    private static final Map<Integer, String> FILES = new TreeMap<>(Map.of(1, "V1__inbox.sql"));

    private final Database database;
    private final TableNames tables;

    public Schema(Database database, TableNames tables) {
        this.database = database;
        this.tables = tables;
    }

    /** The files above a version, as one script, with the given table prefix. */
    public static String print(String folder, String prefix, int above) {
        TableNames.checkPrefix(prefix);
        StringBuilder script = new StringBuilder();
        FILES.forEach((version, file) -> {
            if (version > above) {
                script.append(read(folder, file).replace("idembox_", prefix)).append('\n');
            }
        });
        return script.toString();
    }

    /** The script that makes roles and gives them their rights, with the given table prefix. */
    public static String roles(String folder, String prefix) {
        TableNames.checkPrefix(prefix);
        if (!folder.equals(Database.POSTGRESQL.folder())) {
            throw new IllegalArgumentException("There are no roles for " + folder + "; there are some for postgresql.");
        }
        return read(folder, "roles.sql").replace("idembox_", prefix);
    }

    /** What the files of this version make and the database does not have. */
    public static List<String> missing(DataSource dataSource, @Nullable String schema, String prefix) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            Database database = Database.of(connection);
            return SchemaContents.missing(
                    print(database.folder(), prefix, 0),
                    connection,
                    Objects.requireNonNullElse(schema, connection.getSchema()));
        } catch (SQLException error) {
            throw SqlErrors.unavailable("tell what is in the schema", error);
        }
    }

    /** Creates what is missing. Two nodes may do it at once. */
    public void create(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                beOnlyOne(connection);
                int found = version(connection);
                if (found < VERSION) {
                    for (String statement : statementsOf(print(database.folder(), tables.prefix(), found))) {
                        execute(connection, statement);
                    }
                    log.info("Idembox tables created in schema {}, version {}", tables.schema(), VERSION);
                }
                connection.commit();
            } catch (SQLException | RuntimeException failed) {
                connection.rollback();
                throw failed;
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException error) {
            throw SqlErrors.unavailable("create the inbox tables", error);
        }
    }

    /** Refuses to work on other tables than ours. */
    public void validate(DataSource dataSource) {
        int found;
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            found = version(connection);
        } catch (SQLException error) {
            throw SqlErrors.unavailable("tell the version of the inbox tables", error);
        }
        if (found == 0) {
            throw new SchemaMismatchException(
                    found,
                    VERSION,
                    "Inbox tables not found in schema " + tables.schema() + " (" + database.folder() + ", prefix "
                            + tables.prefix() + "). Apply the files in io/idembox/schema/" + database.folder()
                            + " with your migration tool, or call createSchema() on the builder.");
        }
        if (found != VERSION) {
            throw new SchemaMismatchException(
                    found,
                    VERSION,
                    "Inbox schema version " + found + " found, " + VERSION + " needed. "
                            + (found < VERSION
                                    ? "Apply the newer files in io/idembox/schema/" + database.folder() + "."
                                    : "This library is older than the tables: update it."));
        }
    }

    /** 0 when there are no tables. */
    private int version(Connection connection) throws SQLException {
        if (!exists(connection)) {
            return 0;
        }
        String query = tables.in(NameStatement.FIND_VERSION.text(database));
        try (PreparedStatement statement = Sql.prepare(connection, query);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private boolean exists(Connection connection) throws SQLException {
        String table = tables.prefix() + "schema";
        for (String name : List.of(table, table.toUpperCase(java.util.Locale.ROOT))) {
            try (ResultSet rows = connection
                    .getMetaData()
                    .getTables(null, tables.schema(), name, new String[] {"TABLE", "BASE TABLE"})) {
                if (rows.next()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Nodes that start together take turns; the lock goes with the transaction. */
    private void beOnlyOne(Connection connection) throws SQLException {
        if (database == Database.POSTGRESQL) {
            execute(
                    connection,
                    "select pg_advisory_xact_lock(hashtext('idembox'), hashtext('" + tables.prefix() + "'))");
            execute(connection, "set local search_path to \"" + tables.schema().replace("\"", "\"\"") + "\"");
        } else {
            execute(connection, "set schema \"" + tables.schema().replace("\"", "\"\"") + "\"");
        }
    }

    private static void execute(Connection connection, String statement) throws SQLException {
        try (PreparedStatement prepared = connection.prepareStatement(statement)) {
            prepared.execute();
        }
    }

    /** Our files have no semicolon inside a statement. */
    private static List<String> statementsOf(String script) {
        List<String> statements = new ArrayList<>();
        for (String part : script.replaceAll("--[^\n]*", "").split(";", -1)) {
            if (!part.isBlank()) {
                statements.add(part.strip());
            }
        }
        return statements;
    }

    private static String read(String folder, String file) {
        String path = "/io/idembox/schema/" + folder + "/" + file;
        try (InputStream in = Schema.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException(
                        "There are no schema files for " + folder + "; there are some for postgresql and h2.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
