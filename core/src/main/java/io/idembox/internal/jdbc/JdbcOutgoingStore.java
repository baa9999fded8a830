// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.Ordering;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What every database does alike about what is sent. Thread-safe. */
abstract class JdbcOutgoingStore implements OutgoingStore {

    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    final JdbcInboxStore store;
    final Sql sql;

    private final NameRegistry names;

    JdbcOutgoingStore(JdbcInboxStore store, Sql sql, NameRegistry names) {
        this.store = store;
        this.sql = sql;
        this.names = names;
    }

    @Override
    public final void checkLookedUp(Collection<String> sources) {
        names.numbersOf(new LinkedHashSet<>(sources));
    }

    @Override
    public final Set<Long> send(
            Transaction tx, RegisteredConsumer destination, List<NewLedgerRow> marks, Map<Integer, Long> causes) {
        return store.during(tx, "send messages", connection -> sendAll(tx, destination, marks, causes));
    }

    abstract Set<Long> sendAll(
            Transaction tx, RegisteredConsumer destination, List<NewLedgerRow> marks, Map<Integer, Long> causes)
            throws SQLException;

    /** The keys to be locked, in the order every node locks them in. */
    static Set<String> keysOf(RegisteredConsumer destination, List<NewLedgerRow> marks) {
        Set<String> names = new TreeSet<>();
        if (destination.policy().ordering() != Ordering.NONE) {
            for (NewLedgerRow row : marks) {
                String key = row.incoming().key();
                if (key != null) {
                    names.add(key);
                }
            }
        }
        return names;
    }

    @Override
    public final void resend(Transaction tx, RegisteredConsumer destination, List<Long> causes) {
        Map<Long, String> sent =
                store.during(tx, "look up what was sent", connection -> findSent(connection, destination, causes));
        if (sent.isEmpty()) {
            return;
        }
        Set<String> names = new TreeSet<>();
        if (destination.policy().ordering() != Ordering.NONE) {
            sent.values().stream().filter(key -> !key.isEmpty()).forEach(names::add);
        }
        Map<String, LockedKey> locks = lock(tx, destination, names);
        Set<String> taken = new HashSet<>();
        // Race: another delivery of the same message resends it, or the purger deletes it, and has its ledger row
        // locked.
        boolean answered = store.during(
                tx,
                "send messages again",
                connection -> store.withBoundedWait(tx, waitOf(tx), () -> {
                    for (Map.Entry<Long, String> each : sent.entrySet()) {
                        LockedKey lock = locks.get(each.getValue());
                        boolean free = lock == null || (lock.first() == null && taken.add(each.getValue()));
                        resend(connection, destination, each.getKey(), free, lock);
                    }
                }));
        if (!answered) {
            throw busy("A message that is sent again is locked");
        }
    }

    /**
     * Locks keys of a destination, with the short wait in a transaction that hurries.
     *
     * @throws TransactionFailed OUTBOX_BUSY when one of them did not answer
     */
    final Map<String, LockedKey> lock(Transaction tx, RegisteredConsumer destination, Set<String> names) {
        if (names.isEmpty()) {
            return Map.of();
        }
        boolean hurried = JdbcInboxStore.jdbc(tx).isHurried();
        Map<String, LockedKey> locks =
                store.keys().lock(tx, destination, names, hurried ? LockWait.ROW_BY_ROW : LockWait.TOGETHER);
        if (locks.size() < names.size()) {
            throw busy("A key of " + destination.name() + " is locked");
        }
        return locks;
    }

    final Duration waitOf(Transaction tx) {
        return JdbcInboxStore.jdbc(tx).isHurried()
                ? StoreSettings.ROW_WAIT
                : sql.settings().frontDoorWait();
    }

    private static TransactionFailed busy(String why) {
        return new TransactionFailed(TransactionFailed.Kind.OUTBOX_BUSY, new IllegalStateException(why));
    }

    /** Arrival numbers, in their order, with the key or an empty text. */
    private Map<Long, String> findSent(Connection connection, RegisteredConsumer destination, List<Long> causes)
            throws SQLException {
        Map<Long, String> sent = new LinkedHashMap<>();
        try (PreparedStatement statement = sql.prepare(connection, OutgoingStatement.FIND_SENT)) {
            new Binder(sql, statement).numbers(causes).number(destination.number());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String key = rows.getString("message_key");
                    sent.put(rows.getLong("arrival"), key == null ? "" : key);
                }
            }
        }
        return sent;
    }

    private void resend(
            Connection connection, RegisteredConsumer destination, long arrival, boolean free, @Nullable LockedKey lock)
            throws SQLException {
        if (!lockSent(connection, destination, arrival)) {
            return;
        }
        try (PreparedStatement statement = sql.prepare(connection, OutgoingStatement.RESEND)) {
            new Binder(sql, statement)
                    .number(arrival)
                    .number(destination.number())
                    .text(free ? "RECEIVED" : "WAITING")
                    .numberOrNull(lock == null ? null : lock.number())
                    .number(arrival)
                    .number(destination.number())
                    .number(arrival);
            if (statement.executeUpdate() == 0) {
                return;
            }
        }
        try (PreparedStatement statement = sql.prepare(connection, OutgoingStatement.FORGET_SENT)) {
            new Binder(sql, statement).number(arrival);
            statement.executeUpdate();
        }
    }

    /** False when it is unfinished, forgotten, or will be so soon that a purge may have looked already. */
    private boolean lockSent(Connection connection, RegisteredConsumer destination, long arrival) throws SQLException {
        Duration kept = destination.policy().retention().limit().orElse(FOR_EVER);
        try (PreparedStatement statement = sql.prepare(connection, OutgoingStatement.LOCK_SENT)) {
            new Binder(sql, statement).number(arrival).due(kept.minus(kept.dividedBy(10)));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    @Override
    public final Optional<Tries> tries(RegisteredConsumer consumer, long arrival) {
        return store.inTransaction("look up tries", tx -> findTries(tx.connection(), consumer, arrival));
    }

    private Optional<Tries> findTries(Connection connection, RegisteredConsumer consumer, long arrival)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, OutgoingStatement.FIND_TRIES)) {
            new Binder(sql, statement)
                    .now()
                    .number(consumer.number())
                    .number(arrival)
                    .number(arrival)
                    .number(arrival);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(tries(rows)) : Optional.empty();
            }
        }
    }

    private static Tries tries(ResultSet rows) throws SQLException {
        Instant first = Timestamps.read(rows, "first_tried").orElseThrow();
        return new Tries(
                first,
                Timestamps.read(rows, "first_in_doubt").orElse(null),
                Timestamps.read(rows, "last_ended").orElse(first),
                rows.getString("error_class"),
                rows.getBoolean("redriven"),
                Timestamps.read(rows, "looked_at").orElseThrow());
    }
}
