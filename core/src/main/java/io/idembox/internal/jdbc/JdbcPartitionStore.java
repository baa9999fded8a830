// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.PartitionStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Owners, on every database. Thread-safe. */
final class JdbcPartitionStore implements PartitionStore {

    private static final Logger log = LoggerFactory.getLogger(JdbcPartitionStore.class);

    /** What every timeline is called on a database that does not tell them apart. */
    private static final String ALWAYS = "";

    /** What PostgreSQL answers to questions about its write-ahead log while it is a standby. */
    private static final String IN_RECOVERY = "55000";

    private final JdbcInboxStore store;
    private final Sql sql;
    private volatile @Nullable Boolean tellsTimelines;

    JdbcPartitionStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public Before takeOver(RegisteredConsumer consumer, String partition, UUID token) {
        boolean timelines = tellsTimelines();
        return store.inTransaction("take a lane over", tx -> {
            Connection connection = tx.connection();
            String timeline = timelines ? timeline(connection) : ALWAYS;
            try (PreparedStatement statement = sql.prepare(connection, PartitionStatement.INSERT_OWNER)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .text(partition)
                        .text(sql.settings().node())
                        .token(token)
                        .now();
                if (statement.executeUpdate() == 1) {
                    return new Before(0, null, timeline);
                }
            }
            Before before = before(connection, consumer, partition, timeline);
            try (PreparedStatement statement = sql.prepare(connection, PartitionStatement.TAKE_OVER)) {
                new Binder(sql, statement)
                        .text(sql.settings().node())
                        .token(token)
                        .now()
                        .number(consumer.number())
                        .text(partition);
                statement.executeUpdate();
            }
            // Crash here, before the commit: the one before is still the owner. After it: nothing is in flight,
            // but what the one before had there still counts for the next one.
            return before;
        });
    }

    private Before before(Connection connection, RegisteredConsumer consumer, String partition, String timeline)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, PartitionStatement.FIND_OWNER)) {
            new Binder(sql, statement).number(consumer.number()).text(partition);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    // Nobody deletes owners. If somebody did, nothing is known of the one before.
                    return new Before(0, null, timeline);
                }
                boolean gone = !rows.getBoolean("released")
                        && !rows.getString("node").equals(sql.settings().node());
                String incarnation = rows.getString("incarnation");
                ReadPosition position = incarnation == null ? null : reading(incarnation, rows);
                return new Before(gone ? rows.getInt("in_flight") : 0, position, timeline);
            }
        }
    }

    private static ReadPosition reading(String incarnation, ResultSet rows) throws SQLException {
        long next = rows.getLong("next_offset");
        int epoch = rows.getInt("leader_epoch");
        Optional<ReadPosition.Checkpoint> checkpoint = rows.wasNull()
                ? Optional.empty()
                : Optional.of(new ReadPosition.Checkpoint(epoch, rows.getLong("epoch_offset")));
        return new ReadPosition(incarnation, rows.getLong("first_offset"), next, checkpoint);
    }

    @Override
    public boolean allow(RegisteredConsumer consumer, String partition, UUID token, int inFlight) {
        return store.inTransaction("say what may be in flight", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), PartitionStatement.ALLOW)) {
                new Binder(sql, statement)
                        .number(inFlight)
                        .number(consumer.number())
                        .text(partition)
                        .token(token);
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public Map<String, Partitions.SaveResult> reached(RegisteredConsumer consumer, Map<String, Step> partitions) {
        boolean timelines = tellsTimelines();
        return store.inTransaction("write down how far lanes were read", tx -> {
            String timeline = timelines ? timeline(tx.connection()) : ALWAYS;
            Map<String, Partitions.SaveResult> saveResult = new HashMap<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), PartitionStatement.REACHED)) {
                // In the order of names, as everybody does who locks several.
                for (Map.Entry<String, Step> partition : new TreeMap<>(partitions).entrySet()) {
                    Step step = partition.getValue();
                    if (!step.timeline().equals(timeline)) {
                        saveResult.put(partition.getKey(), Partitions.SaveResult.REWOUND);
                        continue;
                    }
                    bind(statement, consumer, partition.getKey(), step);
                    saveResult.put(
                            partition.getKey(),
                            statement.executeUpdate() == 1
                                    ? Partitions.SaveResult.SAVED
                                    : refused(tx.connection(), consumer, partition.getKey(), step.token()));
                }
            }
            // Crash here: the broker was not told. It brings again what it was not told about, and is answered from the
            // ledger.
            return saveResult;
        });
    }

    private void bind(PreparedStatement statement, RegisteredConsumer consumer, String partition, Step step)
            throws SQLException {
        ReadPosition position = step.position();
        ReadPosition.@Nullable Checkpoint checkpoint = position.checkpoint().orElse(null);
        new Binder(sql, statement)
                .text(position.incarnation())
                .number(position.first())
                .number(position.next())
                .numberOrNull(checkpoint == null ? null : (long) checkpoint.epoch())
                .numberOrNull(checkpoint == null ? null : checkpoint.offset())
                .number(consumer.number())
                .text(partition)
                .token(step.token())
                .text(step.expected().incarnation())
                .text(step.expected().attempted())
                .number(step.expected().least())
                .number(step.expected().most());
    }

    /**
     * Why a position was not written. Only the owner of a lane writes its position, so another position under its own token means
     * that the database has lost a position.
     */
    private Partitions.SaveResult refused(
            Connection connection, RegisteredConsumer consumer, String partition, UUID token) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, PartitionStatement.HAS_TOKEN)) {
            new Binder(sql, statement).number(consumer.number()).text(partition).token(token);
            try (ResultSet rows = statement.executeQuery()) {
                // Race: another process takes the lane between the two statements. Then it is lost, whatever position
                // it had.
                return rows.next() && rows.getInt(1) > 0 ? Partitions.SaveResult.REWOUND : Partitions.SaveResult.LOST;
            }
        }
    }

    @Override
    public void release(RegisteredConsumer consumer, Map<String, UUID> partitions) {
        store.inTransaction("give lanes back", tx -> {
            for (Map.Entry<String, UUID> partition : new TreeMap<>(partitions).entrySet()) {
                try (PreparedStatement statement = sql.prepare(tx.connection(), PartitionStatement.RELEASE_OWNER)) {
                    new Binder(sql, statement)
                            .number(consumer.number())
                            .text(partition.getKey())
                            .token(partition.getValue());
                    statement.executeUpdate();
                }
            }
            return partitions.size();
        });
    }

    @Override
    public void fence(Transaction tx, RegisteredConsumer consumer, Map<String, UUID> partitions) {
        JdbcInboxStore.jdbc(tx).standBehind(new PartitionFence(sql, consumer.number(), partitions));
    }

    /** Asked for once: some engines that speak PostgreSQL's language have no such thing, and lose nothing when they fail over. */
    private boolean tellsTimelines() {
        Boolean known = tellsTimelines;
        if (known == null) {
            known = sql.database() == Database.POSTGRESQL && answersForTimeline();
            tellsTimelines = known;
        }
        return known;
    }

    /**
     * A standby has no timeline of its own and answers 55000 until it is promoted. That is no answer about the engine, so it is an
     * error here, and the lane is taken again later.
     */
    private boolean answersForTimeline() {
        return store.inTransaction("tell its timeline", tx -> {
            JdbcTransaction jdbc = JdbcInboxStore.jdbc(tx);
            Optional<SQLException> refused = refusedTimeline(jdbc);
            if (refused.isPresent() && IN_RECOVERY.equals(refused.get().getSQLState())) {
                if (isInRecovery(tx.connection())) {
                    throw refused.get();
                }
                // Race: the server was promoted after its answer. Only an answer outside recovery is remembered.
                refused = refusedTimeline(jdbc);
            }
            refused.ifPresent(error -> log.info(
                    "The database does not tell its timeline ({}). A failover that forgets messages but no position is not"
                            + " detected while this process runs.",
                    error.getSQLState()));
            return refused.isEmpty();
        });
    }

    /** The error of an engine that has no timelines, or of a standby; empty when the timeline was answered. */
    private Optional<SQLException> refusedTimeline(JdbcTransaction jdbc) throws SQLException {
        jdbc.saveMessage();
        try {
            timeline(jdbc.connection());
            return Optional.empty();
        } catch (SQLException error) {
            String state = String.valueOf(error.getSQLState());
            if (!state.startsWith("42") && !state.equals("0A000") && !state.equals(IN_RECOVERY)) {
                throw error;
            }
            jdbc.rollbackToMessage();
            return Optional.of(error);
        }
    }

    private boolean isInRecovery(Connection connection) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, PartitionStatement.IS_IN_RECOVERY);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    private String timeline(Connection connection) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, PartitionStatement.FIND_TIMELINE);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getString(1) : ALWAYS;
        }
    }
}
