// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.internal.engine.IncomingMessage;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes bodies. Thread-safe. */
final class BodyWriter {

    private final Sql sql;
    private final NameRegistry names;

    BodyWriter(Sql sql, NameRegistry names) {
        this.sql = sql;
        this.names = names;
    }

    /** Keeps the body of a message; false when it was kept before. */
    boolean keep(Connection connection, RegisteredConsumer consumer, RecordedMessage.Hold hold, Message message)
            throws SQLException {
        return keep(connection, consumer, hold, message, null, null);
    }

    /** Keeps a payload that conflicts with the original's; false when it was kept before. */
    boolean keepConflict(
            Connection connection,
            RegisteredConsumer consumer,
            RecordedMessage.Hold hold,
            IncomingMessage incoming,
            long original)
            throws SQLException {
        return keep(connection, consumer, hold, incoming.message(), original, incoming.variant());
    }

    private boolean keep(
            Connection connection,
            RegisteredConsumer consumer,
            RecordedMessage.Hold hold,
            Message message,
            @Nullable Long original,
            @Nullable UUID variant)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.INSERT_BODY)) {
            Position position = message.position().orElse(null);
            statement.setLong(1, hold.arrival());
            statement.setInt(2, message.type().version());
            statement.setInt(3, consumer.number());
            statement.setInt(4, names.source(hold.id().source()));
            statement.setBytes(5, IdBytes.of(hold.id().id()));
            statement.setString(6, ColumnLimits.text(message.type().name(), 1_000));
            statement.setString(7, ColumnLimits.text(message.key().orElse(null), 1_000));
            statement.setBytes(8, headersOf(message));
            statement.setBytes(9, payloadOf(message.payload()));
            statement.setString(10, contentTypeOf(message.payload()));
            Timestamps.bind(statement, 11, ColumnLimits.time(message.time().orElse(null)));
            statement.setString(12, position == null ? null : ColumnLimits.text(position.channel(), 1_000));
            bindNumber(statement, 13, position == null ? null : Long.valueOf(position.partition()), Types.INTEGER);
            bindNumber(statement, 14, position == null ? null : Long.valueOf(position.offset()), Types.BIGINT);
            statement.setString(15, fullIdOf(hold.id()));
            bindNumber(statement, 16, original, Types.BIGINT);
            statement.setObject(17, variant);
            statement.setBoolean(18, original != null);
            sql.bindNow(statement, 19);
            return statement.executeUpdate() == 1;
        } catch (SQLException error) {
            if (LedgerWriter.isDuplicate(error)) {
                return false;
            }
            throw error;
        }
    }

    static byte @Nullable [] headersOf(Message message) {
        return message.headers().all().isEmpty() ? null : HeaderBytes.of(message.headers());
    }

    /** As it is kept: null is JSON, which almost everything is. */
    static @Nullable String contentTypeOf(Payload payload) {
        return payload.contentType().equals(Payload.JSON) ? null : ColumnLimits.text(payload.contentType(), 200);
    }

    /** As it was given. */
    static String contentTypeOf(ResultSet row) throws SQLException {
        return Objects.requireNonNullElse(row.getString("content_type"), Payload.JSON);
    }

    static Payload payloadIn(ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes("payload");
        return bytes == null ? Payload.tombstone() : Payload.of(bytes, contentTypeOf(row));
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
