// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.jdbc.sql.SqlCall;
import io.idembox.internal.jdbc.sql.SqlCatalog;
import io.idembox.internal.jdbc.sql.SqlValues;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of one database with their table names in place, resolved once. Immutable and thread-safe. */
final class Sql {

    private final Database database;
    private final Map<SqlStatement, String> texts = new HashMap<>();
    private final StoreSettings settings;
    private final SqlCatalog files;

    Sql(Database database, TableNames tables, StoreSettings settings) {
        this.database = database;
        this.settings = settings;
        for (SqlStatement statement : SqlStatement.all()) {
            texts.put(statement, tables.in(statement.text(database)));
        }
        this.files = new SqlCatalog(List.of("common", database.dialect()), tables::inFile, new Values());
    }

    /** A statement of a file, by its name such as {@code pause.find}. */
    SqlCall call(Connection connection, String name) {
        return files.call(connection, name);
    }

    Database database() {
        return database;
    }

    StoreSettings settings() {
        return settings;
    }

    /** The text of a statement, for bundles. */
    String text(SqlStatement statement) {
        return texts.getOrDefault(statement, "");
    }

    PreparedStatement prepare(Connection connection, SqlStatement statement) throws SQLException {
        return prepare(connection, text(statement));
    }

    /**
     * A statement that fetches all its rows at once, whatever the driver's default is. Otherwise rows are fetched in portions from a
     * portal, and a bundle that ends with a commit closes the portal before the second portion.
     */
    static PreparedStatement prepare(Connection connection, String text) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text);
        statement.setFetchSize(0);
        return statement;
    }

    /** Numbers for {@code any (?)} and {@code unnest(?)}. */
    static void bindNumbers(PreparedStatement statement, int index, List<Long> numbers) throws SQLException {
        statement.setArray(index, statement.getConnection().createArrayOf("int8", numbers.toArray(Long[]::new)));
    }

    /**
     * Binds the time where a statement wants to know it: the given clock's in tests, the database's own in production.
     *
     * <p>PostgreSQL gets it as text, which the statement casts: the driver gives a null timestamp no type, asks the server
     * about it, and then sends a bundle of statements in pieces.
     */
    void bindNow(PreparedStatement statement, int index) throws SQLException {
        InstantSource clock = settings.clock();
        switch (database) {
            case POSTGRESQL ->
                statement.setString(
                        index, clock == null ? null : clock.instant().toString());
            // H2 runs in this process and has no clock that moves inside a transaction.
            case H2 -> Timestamps.bind(statement, index, clock == null ? Instant.now() : clock.instant());
        }
    }

    /** Times as the drivers take them. */
    private final class Values implements SqlValues {

        @Override
        public String now() {
            return switch (database) {
                case POSTGRESQL -> "coalesce(cast(? as timestamptz), clock_timestamp())";
                case H2 -> "cast(? as timestamp(6) with time zone)";
            };
        }

        @Override
        public void bindNow(PreparedStatement statement, int index) throws SQLException {
            Sql.this.bindNow(statement, index);
        }

        @Override
        public void bindInstant(PreparedStatement statement, int index, @Nullable Instant value) throws SQLException {
            Timestamps.bind(statement, index, value);
        }
    }
}
