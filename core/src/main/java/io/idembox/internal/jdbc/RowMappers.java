// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Failure;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.LedgerMatch;
import io.idembox.policy.RetryBy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads rows. */
final class RowMappers {

    private RowMappers() {}

    static @Nullable Long numberOrNull(ResultSet rows, String column) throws SQLException {
        long number = rows.getLong(column);
        return rows.wasNull() ? null : number;
    }

    /** The identity of a message; a placeholder with its arrival number when its rows are missing. */
    static MessageId messageId(ResultSet rows, @Nullable String source) throws SQLException {
        String fullId = rows.getString("full_id");
        byte[] id = rows.getBytes("id");
        String known = fullId != null
                ? fullId
                : id == null ? "(unknown id of arrival " + rows.getLong("arrival") + ")" : IdBytes.text(id);
        return new MessageId(source == null ? "(unknown source)" : source, known);
    }

    /** Who brings an entry again. What a replay has not let go yet is the inbox's, only later. */
    static RetryBy owner(ResultSet rows) throws SQLException {
        return rows.getString("owner").equals(RetryBy.REDELIVERY.name()) ? RetryBy.REDELIVERY : RetryBy.INBOX;
    }

    static List<LedgerMatch> existing(ResultSet rows) throws SQLException {
        List<LedgerMatch> found = new ArrayList<>();
        while (rows.next()) {
            found.add(new LedgerMatch(
                    rows.getInt("slot"),
                    rows.getLong("arrival"),
                    rows.getObject("variant", UUID.class),
                    entry(rows),
                    result(rows)));
        }
        return found;
    }

    private static LedgerMatch.@Nullable Unfinished entry(ResultSet rows) throws SQLException {
        String state = rows.getString("state");
        return state == null ? null : new LedgerMatch.Unfinished(EntryState.valueOf(state), owner(rows), failure(rows));
    }

    private static @Nullable Failure failure(ResultSet rows) throws SQLException {
        String kind = rows.getString("error_kind");
        return kind == null
                ? null
                : new Failure(
                        Failure.Kind.valueOf(kind),
                        rows.getString("error_class"),
                        rows.getString("sql_state"),
                        rows.getString("error"),
                        null);
    }

    private static @Nullable Payload result(ResultSet rows) throws SQLException {
        byte[] bytes = rows.getBytes("result");
        return bytes == null ? null : Payload.of(bytes, rows.getString("result_type"));
    }
}
