// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Instants as both drivers take them. */
final class Timestamps {

    private Timestamps() {}

    /** Null leaves the time to the database's own clock. */
    static void bind(PreparedStatement statement, int index, @Nullable Instant instant) throws SQLException {
        if (instant == null) {
            statement.setNull(index, Types.TIMESTAMP_WITH_TIMEZONE);
        } else {
            statement.setObject(index, instant.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
        }
    }

    static Optional<Instant> read(ResultSet rows, String column) throws SQLException {
        return Optional.ofNullable(rows.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
