// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import io.idembox.DeferredWrite;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes handlers put off, and the order in which they go out.
 *
 * <p>Each write has a round and a layer. The round of a message is how many messages of the same key came before it in
 * the batch; a message without a key is its own key, so its round is 0. The layer of a write is how many writes its
 * message put off before it. Writes go out round by round and, inside a round, layer by layer; equal statements of one
 * layer go out as one JDBC batch. So within a message and within a key everything happens in the order it was written,
 * and a batch of n messages with k statements each costs about k round trips instead of n × k.
 *
 * <p>Inside a JDBC batch the rows are sorted by key: the order between keys is free, and a common order keeps
 * concurrent batches from deadlocking. Not thread-safe.
 */
final class DeferredWrites {

    private static final Comparator<Write> BY_KEY =
            Comparator.comparing(Write::key, Comparator.nullsFirst(Comparator.naturalOrder()));

    private final Connection connection;
    private final TreeMap<Step, Map<String, List<Write>>> pending = new TreeMap<>();
    private final Map<String, Integer> messagesOfKey = new HashMap<>();
    private @Nullable String key;
    private int round;
    private int layer;

    DeferredWrites(Connection connection) {
        this.connection = connection;
    }

    /** The following writes belong to the next message, which has this key. */
    void nextMessage(@Nullable String newKey) {
        key = newKey;
        layer = 0;
        round = newKey == null ? 0 : messagesOfKey.merge(newKey, 1, Integer::sum) - 1;
    }

    DeferredWrite add(String sql, @Nullable Object[] args) {
        Write write = new Write(key, args.clone());
        pending.computeIfAbsent(new Step(round, layer++), step -> new LinkedHashMap<>())
                .computeIfAbsent(sql, text -> new ArrayList<>())
                .add(write);
        return write;
    }

    /** Forgets what was put off, and who put it off: the batch starts over. */
    void clear() {
        pending.clear();
        messagesOfKey.clear();
    }

    /**
     * Sends everything that was put off so far. Steps that follow each other with nothing but the same statement in them
     * become one batch: its rows are sorted by key, and the sort keeps the order of the steps within a key.
     */
    void flush() throws SQLException {
        while (!pending.isEmpty()) {
            Map<String, List<Write>> step = pending.pollFirstEntry().getValue();
            while (step.size() == 1
                    && !pending.isEmpty()
                    && pending.firstEntry().getValue().keySet().equals(step.keySet())) {
                Map<String, List<Write>> next = pending.pollFirstEntry().getValue();
                step.forEach((sql, writes) -> writes.addAll(next.getOrDefault(sql, List.of())));
            }
            for (Map.Entry<String, List<Write>> group : step.entrySet()) {
                send(group.getKey(), group.getValue());
            }
        }
    }

    private void send(String sql, List<Write> writes) throws SQLException {
        writes.sort(BY_KEY);
        writes.forEach(Write::goesOut);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (writes.size() == 1) {
                writes.get(0).bind(statement);
                writes.get(0).check(sql, statement.executeUpdate());
                return;
            }
            for (Write write : writes) {
                write.bind(statement);
                statement.addBatch();
            }
            int[] rows = statement.executeBatch();
            for (int i = 0; i < rows.length; i++) {
                writes.get(i).check(sql, rows[i]);
            }
        } catch (BatchUpdateException batch) {
            // The batch exception quotes the statement with its values; the one behind it is the server's own.
            SQLException own = batch.getNextException();
            throw own == null ? new SQLException("A deferred write failed", batch.getSQLState()) : own;
        }
    }

    private record Step(int round, int layer) implements Comparable<Step> {

        private static final Comparator<Step> ORDER =
                Comparator.comparingInt(Step::round).thenComparingInt(Step::layer);

        @Override
        public int compareTo(Step other) {
            return ORDER.compare(this, other);
        }
    }

    private static final class Write implements DeferredWrite {

        private static final int ANY = -1;

        private final @Nullable String key;
        private final @Nullable Object[] args;
        private int expected = ANY;
        private boolean sent;

        Write(@Nullable String key, @Nullable Object[] args) {
            this.key = key;
            this.args = args;
        }

        @Nullable
        String key() {
            return key;
        }

        @Override
        public void expect(int rows) {
            if (rows < 0) {
                throw new IllegalArgumentException("expect needs a row count of zero or more, was " + rows);
            }
            if (sent) {
                throw new IllegalStateException(
                        "This write was already sent, so its row count can no longer be checked." + " Call expect("
                                + rows + ") directly after later(...), before any other statement.");
            }
            expected = rows;
        }

        /** Its row count is checked with what is expected now. */
        void goesOut() {
            sent = true;
        }

        void bind(PreparedStatement statement) throws SQLException {
            for (int i = 0; i < args.length; i++) {
                Object arg = args[i];
                statement.setObject(i + 1, arg instanceof Instant instant ? instant.atOffset(ZoneOffset.UTC) : arg);
            }
        }

        void check(String sql, int rows) throws SQLException {
            if (expected != ANY && rows != expected) {
                // Statement.SUCCESS_NO_INFO comes from drivers that merge inserts; a single statement has real counts,
                // so failing here makes the batch run message by message, where the truth comes out.
                String changed = rows == Statement.SUCCESS_NO_INFO ? "an unknown number of" : String.valueOf(rows);
                throw new RowCountException("Expected " + expected + " changed rows, found " + changed + ": " + sql);
            }
        }
    }
}
