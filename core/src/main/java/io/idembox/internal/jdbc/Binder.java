// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Binds the values of a long statement from left to right. Not thread-safe. */
final class Binder {

    private final Sql sql;
    private final PreparedStatement statement;
    private int next = 1;

    Binder(Sql sql, PreparedStatement statement) {
        this.sql = sql;
        this.statement = statement;
    }

    Binder text(@Nullable String value) throws SQLException {
        statement.setString(next++, value);
        return this;
    }

    Binder number(int value) throws SQLException {
        statement.setInt(next++, value);
        return this;
    }

    Binder number(long value) throws SQLException {
        statement.setLong(next++, value);
        return this;
    }

    Binder share(double value) throws SQLException {
        statement.setDouble(next++, value);
        return this;
    }

    Binder numberOrNull(@Nullable Long value) throws SQLException {
        statement.setObject(next++, value, Types.BIGINT);
        return this;
    }

    Binder bytes(byte @Nullable [] value) throws SQLException {
        statement.setBytes(next++, value);
        return this;
    }

    Binder texts(List<String> values) throws SQLException {
        statement.setArray(next++, statement.getConnection().createArrayOf("text", values.toArray(String[]::new)));
        return this;
    }

    Binder flag(boolean value) throws SQLException {
        statement.setBoolean(next++, value);
        return this;
    }

    Binder token(UUID value) throws SQLException {
        statement.setObject(next++, value);
        return this;
    }

    Binder tokens(List<UUID> values) throws SQLException {
        statement.setArray(next++, statement.getConnection().createArrayOf("uuid", values.toArray(UUID[]::new)));
        return this;
    }

    Binder numbers(List<Long> values) throws SQLException {
        Sql.bindNumbers(statement, next++, values);
        return this;
    }

    Binder now() throws SQLException {
        sql.bindNow(statement, next++);
        return this;
    }

    /** A time that the statement casts, or null; see {@link Sql#bindNow} for why it is text on PostgreSQL. */
    Binder instant(@Nullable Instant instant) throws SQLException {
        switch (sql.database()) {
            case POSTGRESQL -> statement.setString(next++, instant == null ? null : instant.toString());
            case H2 -> Timestamps.bind(statement, next++, instant);
        }
        return this;
    }

    Binder time(@Nullable Instant instant) throws SQLException {
        Timestamps.bind(statement, next++, instant);
        return this;
    }

    /** Some time from now; none at all for null. */
    Binder due(@Nullable Duration pause) throws SQLException {
        statement.setObject(next++, pause == null ? null : pause.toNanos() / 1_000, Types.BIGINT);
        return now();
    }
}
