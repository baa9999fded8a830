// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One row of a table of the application, written so that it may be written again. The only statements that are put
 * together here: their names come from the caller, who has checked them.
 *
 * @param table perhaps with a schema in front
 * @param key which row it is
 * @param values what is written
 */
public record ApplicationRow(String table, Map<String, @Nullable Object> key, Map<String, @Nullable Object> values) {

    /** Inserts the row, or updates it if what is stored has a lower version or none; whether it did. */
    public boolean upsert(Connection connection, Map.Entry<String, Object> version) throws SQLException {
        return switch (Database.of(connection)) {
            case POSTGRESQL -> upsertAtOnce(connection, version.getKey());
            case H2 -> upsertInTurns(connection, version);
        };
    }

    /** Who comes second waits for the first one's commit, and then compares with what that one wrote. */
    private boolean upsertAtOnce(Connection connection, String version) throws SQLException {
        String assignments = values.keySet().stream()
                .map(column -> column + " = excluded." + column)
                .collect(Collectors.joining(", "));
        return update(
                        connection,
                        insertion("as stored")
                                + """
                 on conflict (%s)
                 do update set %s
                     where stored.%s is null
                        or stored.%s < excluded.%s
                """.formatted(
                                        String.join(", ", key.keySet()), assignments, version, version, version),
                        all())
                == 1;
    }

    /** H2: who finds no row inserts it; if somebody was faster, that row is compared with. */
    private boolean upsertInTurns(Connection connection, Map.Entry<String, Object> version) throws SQLException {
        if (updateIfLower(connection, version)) {
            return true;
        }
        // A savepoint, because an error that is not undone would fail the message that this is part of.
        boolean alone = connection.getAutoCommit();
        Savepoint before = alone ? null : connection.setSavepoint();
        try {
            return update(connection, insertion(""), all()) == 1;
        } catch (SQLException error) {
            if (!LedgerWriter.isDuplicate(error)) {
                throw error;
            }
            if (before != null) {
                connection.rollback(before);
            }
            if (!exists(connection)) {
                throw error;
            }
            return updateIfLower(connection, version);
        }
    }

    private boolean updateIfLower(Connection connection, Map.Entry<String, Object> version) throws SQLException {
        String column = version.getKey();
        List<@Nullable Object> args = new ArrayList<>(values.values());
        args.addAll(key.values());
        args.add(version.getValue());
        String sql = "update " + table + " set " + assignments() + " where " + equal(key) + " and (" + column
                + " is null or " + column + " < ?)";
        return update(connection, sql, args) == 1;
    }

    private boolean exists(Connection connection) throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection, "select 1 from " + table + " where " + equal(key))) {
            bind(statement, List.copyOf(key.values()));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    /** Updates the row if it is as expected; how many rows that were. */
    public int compareAndSet(Connection connection, Map<String, @Nullable Object> expected) throws SQLException {
        List<@Nullable Object> args = new ArrayList<>(values.values());
        args.addAll(key.values());
        expected.values().stream().filter(value -> value != null).forEach(args::add);
        String sql = "update " + table + " set " + assignments() + " where " + equal(key) + " and " + equal(expected);
        return update(connection, sql, args);
    }

    private Map<String, @Nullable Object> columns() {
        Map<String, @Nullable Object> columns = new LinkedHashMap<>(key);
        columns.putAll(values);
        return columns;
    }

    private List<@Nullable Object> all() {
        return new ArrayList<>(columns().values());
    }

    private String insertion(String alias) {
        String marks = columns().keySet().stream().map(column -> "?").collect(Collectors.joining(", "));
        return "insert into %s %s (%s) values (%s)"
                .formatted(table, alias, String.join(", ", columns().keySet()), marks);
    }

    private String assignments() {
        return values.keySet().stream().map(column -> column + " = ?").collect(Collectors.joining(", "));
    }

    private static String equal(Map<String, @Nullable Object> columns) {
        return columns.entrySet().stream()
                .map(each -> each.getKey() + (each.getValue() == null ? " is null" : " = ?"))
                .collect(Collectors.joining(" and "));
    }

    private static int update(Connection connection, String sql, List<@Nullable Object> args) throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection, sql)) {
            bind(statement, args);
            return statement.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, List<@Nullable Object> args) throws SQLException {
        int next = 1;
        for (Object arg : args) {
            statement.setObject(next++, arg instanceof Instant instant ? instant.atOffset(ZoneOffset.UTC) : arg);
        }
    }
}
