// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a statement: set its parameters by name, then call {@link #update}, {@link #list}, {@link #first} or {@link
 * #bundle}. {@code :now} is set by the runner. A parameter without a value, or a value without a parameter, is a programming
 * error and throws before anything is sent. Not thread-safe.
 */
public final class SqlCall {

    private final Connection connection;
    private final SqlText text;
    private final SqlValues values;
    private final Map<String, Binding> bindings = new HashMap<>();

    SqlCall(Connection connection, SqlText text, SqlValues values) {
        this.connection = connection;
        this.text = text;
        this.values = values;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    @FunctionalInterface
    private interface Binding {
        void bind(PreparedStatement statement, int index) throws SQLException;
    }

    public SqlCall set(String name, @Nullable String value) {
        return bind(name, (statement, index) -> statement.setString(index, value));
    }

    public SqlCall set(String name, int value) {
        return bind(name, (statement, index) -> statement.setInt(index, value));
    }

    public SqlCall set(String name, long value) {
        return bind(name, (statement, index) -> statement.setLong(index, value));
    }

    public SqlCall set(String name, boolean value) {
        return bind(name, (statement, index) -> statement.setBoolean(index, value));
    }

    public SqlCall set(String name, UUID value) {
        return bind(name, (statement, index) -> statement.setObject(index, value));
    }

    public SqlCall set(String name, byte @Nullable [] value) {
        return bind(name, (statement, index) -> statement.setBytes(index, value));
    }

    public SqlCall set(String name, @Nullable Instant value) {
        return bind(name, (statement, index) -> values.bindInstant(statement, index, value));
    }

    /** As microseconds. */
    public SqlCall set(String name, @Nullable Duration value) {
        Long micros = value == null ? null : value.toNanos() / 1_000;
        return setLong(name, micros);
    }

    public SqlCall setLong(String name, @Nullable Long value) {
        return bind(name, (statement, index) -> statement.setObject(index, value, Types.BIGINT));
    }

    public SqlCall setLongs(String name, Collection<Long> value) {
        return setArray(name, "int8", value.toArray(Long[]::new));
    }

    public SqlCall setTexts(String name, Collection<String> value) {
        return setArray(name, "text", value.toArray(String[]::new));
    }

    public SqlCall setUuids(String name, Collection<UUID> value) {
        return setArray(name, "uuid", value.toArray(UUID[]::new));
    }

    private SqlCall setArray(String name, String type, Object[] value) {
        return bind(
                name,
                (statement, index) ->
                        statement.setArray(index, statement.getConnection().createArrayOf(type, value)));
    }

    private SqlCall bind(String name, Binding binding) {
        if (!text.parameters().contains(name)) {
            throw new IllegalArgumentException("Statement " + text.name() + " has no parameter :" + name);
        }
        bindings.put(name, binding);
        return this;
    }

    /** Runs it and returns how many rows it changed. */
    public int update() throws SQLException {
        try (PreparedStatement statement = prepare()) {
            return statement.executeUpdate();
        }
    }

    /** Runs it and reads all rows. */
    public <T> List<T> list(RowMapper<? extends T> mapper) throws SQLException {
        try (PreparedStatement statement = prepare();
                ResultSet rows = statement.executeQuery()) {
            return read(rows, mapper);
        }
    }

    /** Runs it and reads the first row; empty if there is none. */
    public <T> Optional<T> first(RowMapper<? extends T> mapper) throws SQLException {
        try (PreparedStatement statement = prepare();
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(mapper.map(rows)) : Optional.empty();
        }
    }

    /** Runs several statements that are sent together, and reads no rows. */
    public boolean bundle() throws SQLException {
        try (PreparedStatement statement = prepare()) {
            return statement.execute();
        }
    }

    /** Runs several statements that are sent together, and reads the rows of the one whose first column has this name. */
    public <T> List<T> bundle(String column, RowMapper<? extends T> mapper) throws SQLException {
        List<T> found = new ArrayList<>();
        try (PreparedStatement statement = prepare()) {
            boolean isRows = statement.execute();
            while (isRows || statement.getUpdateCount() >= 0) {
                if (isRows) {
                    try (ResultSet rows = statement.getResultSet()) {
                        if (rows.getMetaData().getColumnLabel(1).equals(column)) {
                            found.addAll(read(rows, mapper));
                        }
                    }
                }
                isRows = statement.getMoreResults();
            }
        }
        return found;
    }

    private static <T> List<T> read(ResultSet rows, RowMapper<? extends T> mapper) throws SQLException {
        List<T> found = new ArrayList<>();
        while (rows.next()) {
            found.add(mapper.map(rows));
        }
        return found;
    }

    /**
     * Fetches all rows at once, whatever the driver's default is. Otherwise rows are fetched in portions from a portal, and a bundle
     * that ends with a commit closes the portal before the second portion.
     */
    private PreparedStatement prepare() throws SQLException {
        for (String name : text.parameters()) {
            if (!name.equals(SqlText.NOW) && !bindings.containsKey(name)) {
                throw new IllegalStateException("Statement " + text.name() + " has no value for :" + name);
            }
        }
        PreparedStatement statement = connection.prepareStatement(text.text());
        try {
            statement.setFetchSize(0);
            for (int index = 1; index <= text.parameters().size(); index++) {
                bindParameter(statement, index, text.parameters().get(index - 1));
            }
            return statement;
        } catch (SQLException | RuntimeException failed) {
            statement.close();
            throw failed;
        }
    }

    private void bindParameter(PreparedStatement statement, int index, String name) throws SQLException {
        Binding binding = bindings.get(name);
        if (binding == null) {
            values.bindNow(statement, index);
        } else {
            binding.bind(statement, index);
        }
    }
}
