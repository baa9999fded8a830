// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.OwnerStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/** Owners, on every database. Thread-safe. */
final class JdbcOwnerStore implements OwnerStore {

    private final JdbcInboxStore store;
    private final Sql sql;

    JdbcOwnerStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public Optional<Integer> takeOver(Consumer consumer, String lane) {
        return store.inTransaction("take a lane over", tx -> {
            Connection connection = tx.connection();
            try (PreparedStatement statement = sql.prepare(connection, OwnerStatement.INSERT_OWNER)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .text(lane)
                        .text(sql.settings().node())
                        .now();
                if (statement.executeUpdate() == 1) {
                    return Optional.<Integer>empty();
                }
            }
            Optional<Integer> left = leftInFlight(connection, consumer, lane);
            try (PreparedStatement statement = sql.prepare(connection, OwnerStatement.TAKE_OVER)) {
                new Binder(sql, statement)
                        .text(sql.settings().node())
                        .now()
                        .number(consumer.number())
                        .text(lane);
                statement.executeUpdate();
            }
            // Crash here, before the commit: the one before is still the owner. After it: nothing is in flight,
            // but what the one before had there still counts for the next one.
            return left;
        });
    }

    private Optional<Integer> leftInFlight(Connection connection, Consumer consumer, String lane) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, OwnerStatement.FIND_OWNER)) {
            new Binder(sql, statement).number(consumer.number()).text(lane);
            try (ResultSet rows = statement.executeQuery()) {
                boolean gone = rows.next()
                        && !rows.getBoolean("released")
                        && !rows.getString("node").equals(sql.settings().node());
                return gone ? Optional.of(rows.getInt("in_flight")) : Optional.empty();
            }
        }
    }

    @Override
    public boolean allow(Consumer consumer, String lane, int inFlight) {
        return store.inTransaction("say what may be in flight", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), OwnerStatement.ALLOW)) {
                new Binder(sql, statement)
                        .number(inFlight)
                        .number(consumer.number())
                        .text(lane)
                        .text(sql.settings().node());
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public void release(Consumer consumer, Collection<String> lanes) {
        store.inTransaction("give lanes back", tx -> {
            for (String lane : lanes) {
                try (PreparedStatement statement = sql.prepare(tx.connection(), OwnerStatement.RELEASE_OWNER)) {
                    new Binder(sql, statement)
                            .number(consumer.number())
                            .text(lane)
                            .text(sql.settings().node());
                    statement.executeUpdate();
                }
            }
            return lanes.size();
        });
    }
}
