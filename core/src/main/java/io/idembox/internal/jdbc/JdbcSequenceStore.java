// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SequenceStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.Ordering;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sequences, on every database. Thread-safe. */
final class JdbcSequenceStore implements SequenceStore {

    private final JdbcInboxStore store;
    private final Sql sql;

    JdbcSequenceStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public void advance(Transaction tx, RegisteredConsumer consumer, int generation, Map<Long, Long> positions) {
        store.during(tx, "move sequences on", connection -> switch (sql.database()) {
            case POSTGRESQL -> advanceAll(connection, consumer, generation, positions);
            case H2 -> advanceEach(connection, consumer, generation, positions);
        });
    }

    private int advanceAll(
            Connection connection, RegisteredConsumer consumer, int generation, Map<Long, Long> positions)
            throws SQLException {
        List<Long> keys = positions.keySet().stream().sorted().toList();
        List<Long> reached = keys.stream().map(positions::get).toList();
        try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.ADVANCE)) {
            new Binder(sql, statement)
                    .number(generation)
                    .number(consumer.number())
                    .numbers(keys)
                    .numbers(reached);
            return statement.executeUpdate();
        }
    }

    private int advanceEach(
            Connection connection, RegisteredConsumer consumer, int generation, Map<Long, Long> positions)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.ADVANCE)) {
            for (Map.Entry<Long, Long> each : positions.entrySet()) {
                new Binder(sql, statement)
                        .number(generation)
                        .number(consumer.number())
                        .number(each.getKey())
                        .number(each.getValue());
                statement.executeUpdate();
            }
            return positions.size();
        }
    }

    @Override
    public Map<Long, Long> reached(Transaction tx, int generation, Collection<Long> keys) {
        return store.during(tx, "look for sequences", connection -> {
            Map<Long, Long> reached = new HashMap<>();
            try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.FIND_REACHED)) {
                new Binder(sql, statement).number(generation).numbers(List.copyOf(keys));
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        reached.put(rows.getLong("key_id"), rows.getLong("reached"));
                    }
                }
            }
            return reached;
        });
    }

    @Override
    public void watch(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys) {
        List<String> blocking = JdbcKeyStore.blocking(consumer);
        store.during(tx, "look for gaps", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.WATCH)) {
                new Binder(sql, statement)
                        .texts(blocking)
                        .now()
                        .numbers(List.copyOf(keys))
                        .texts(blocking);
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public List<OpenGap> find(RegisteredConsumer consumer, Duration openFor) {
        return store.inTransaction("look for gaps", tx -> {
            List<OpenGap> gaps = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), SequenceStatement.FIND_GAPS)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .due(openFor)
                        .texts(JdbcKeyStore.blocking(consumer))
                        .number(GAPS_AT_ONCE);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        Long sequenceNumber = RowMappers.numberOrNull(rows, "sequence_no");
                        if (sequenceNumber != null) {
                            gaps.add(new OpenGap(
                                    rows.getLong("key_id"),
                                    rows.getString("name"),
                                    rows.getLong("reached"),
                                    sequenceNumber));
                        }
                    }
                }
            }
            return gaps;
        });
    }

    @Override
    public boolean park(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor) {
        return store.during(tx, "park what waits behind a gap", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.PARK_BEHIND_GAP)) {
                new Binder(sql, statement)
                        .text("It has place " + gap.sequenceNumber() + " of its key, and place " + (gap.position() + 1)
                                + " has not come for " + openFor + advice(consumer))
                        .now()
                        .number(consumer.number())
                        .number(gap.key())
                        .number(gap.sequenceNumber())
                        .number(gap.position())
                        .due(openFor)
                        .texts(JdbcKeyStore.blocking(consumer));
                return statement.executeUpdate() > 0;
            }
        });
    }

    @Override
    public List<ClaimedMessage> parked(Transaction tx, RegisteredConsumer consumer, OpenGap gap) {
        return store.during(tx, "load what is parked behind a gap", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.LOAD_PARKED_BEHIND_GAP)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .number(gap.key())
                        .number(gap.sequenceNumber());
                try (ResultSet rows = statement.executeQuery()) {
                    return JdbcLeaseStore.members(rows);
                }
            }
        });
    }

    private static String advice(RegisteredConsumer consumer) {
        return consumer.policy().ordering() == Ordering.SKIP_PARKED
                ? ". The sequence has gone on without both: do by hand what they ask for, then discard this one."
                : ". Get what is missing delivered, then redrive this one; or discard it.";
    }

    @Override
    public boolean skip(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor) {
        return store.during(tx, "skip a gap", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.SKIP_GAP)) {
                new Binder(sql, statement)
                        .number(gap.sequenceNumber() - 1)
                        .number(gap.key())
                        .number(gap.position())
                        .due(openFor)
                        .texts(JdbcKeyStore.blocking(consumer));
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public boolean restart(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor) {
        return store.during(tx, "watch a gap anew", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, SequenceStatement.RESTART_GAP)) {
                new Binder(sql, statement)
                        .now()
                        .number(gap.key())
                        .number(gap.position())
                        .due(openFor)
                        .texts(JdbcKeyStore.blocking(consumer));
                return statement.executeUpdate() == 1;
            }
        });
    }
}
