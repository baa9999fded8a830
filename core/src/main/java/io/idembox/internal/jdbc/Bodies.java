// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Position;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes bodies. Thread-safe. */
final class Bodies {

    private final Sql sql;

    Bodies(Sql sql) {
        this.sql = sql;
    }

    /** Keeps a body; false when it was kept before. */
    boolean keep(Connection connection, long arrival, UUID variant, MessageId id, Message message) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, Statement.INSERT_BODY)) {
            Position position = message.position().orElse(null);
            statement.setLong(1, arrival);
            statement.setObject(2, variant);
            statement.setString(3, Storable.text(message.type().name(), 1_000));
            statement.setInt(4, message.type().version());
            statement.setString(5, Storable.text(message.key().orElse(null), 1_000));
            statement.setBytes(6, HeaderBytes.of(message.headers()));
            statement.setBytes(7, payloadOf(message.payload()));
            statement.setString(8, Storable.text(message.payload().contentType(), 200));
            Time.bind(statement, 9, Storable.time(message.time().orElse(null)));
            statement.setString(10, position == null ? null : Storable.text(position.channel(), 1_000));
            bindNumber(statement, 11, position == null ? null : Long.valueOf(position.partition()), Types.INTEGER);
            bindNumber(statement, 12, position == null ? null : Long.valueOf(position.offset()), Types.BIGINT);
            statement.setString(13, fullIdOf(id));
            return statement.executeUpdate() == 1;
        } catch (SQLException error) {
            if (Marks.isDuplicate(error)) {
                return false;
            }
            throw error;
        }
    }

    static byte @Nullable [] payloadOf(Payload payload) {
        return payload.isTombstone() ? null : payload.bytes();
    }

    /** The id, where the ledger keeps only its hash. */
    static @Nullable String fullIdOf(MessageId id) {
        return IdBytes.isHash(IdBytes.of(id.id())) ? id.id() : null;
    }

    private static void bindNumber(PreparedStatement statement, int index, @Nullable Long number, int type)
            throws SQLException {
        if (number == null) {
            statement.setNull(index, type);
        } else if (type == Types.INTEGER) {
            statement.setInt(index, number.intValue());
        } else {
            statement.setLong(index, number);
        }
    }
}
