// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.RetryBy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sending on H2: the same steps, one by one. */
final class H2OutgoingStore extends JdbcOutgoingStore {

    private final JdbcLedgerWriter rows;

    H2OutgoingStore(JdbcInboxStore store, Sql sql, JdbcLedgerWriter rows) {
        super(store, sql, rows.names);
        this.rows = rows;
    }

    @Override
    Set<Long> sendAll(
            Transaction tx, RegisteredConsumer destination, List<NewLedgerRow> wanted, Map<Integer, Long> causes)
            throws SQLException {
        Set<String> keys = keysOf(destination, wanted);
        Map<String, LockedKey> locks = lock(tx, destination, keys);
        long base = rows.firstArrival(tx.connection(), rows.names.use(destination, wanted));
        Set<Long> arrivals = new HashSet<>();
        List<NewLedgerRow> written = new ArrayList<>();
        for (NewLedgerRow row : wanted) {
            long arrival = base + row.slot();
            if (rows.insertOne(tx.connection(), destination, row, arrival, RecordingDepth.BODY)) {
                setCause(tx.connection(), arrival, causes.get(row.slot()));
                arrivals.add(arrival);
                written.add(row);
            }
        }
        written.sort(Comparator.comparing(NewLedgerRow::slot));
        store.keys().insert(tx, destination, births(written, base, locks));
        return arrivals;
    }

    private static List<KeyStore.Birth> births(List<NewLedgerRow> written, long base, Map<String, LockedKey> locks) {
        Set<String> taken = new HashSet<>();
        List<KeyStore.Birth> births = new ArrayList<>();
        for (NewLedgerRow row : written) {
            String key = row.incoming().key();
            LockedKey lock = key == null ? null : locks.get(key);
            boolean free = lock == null || (taken.add(key) && lock.first() == null);
            births.add(new KeyStore.Birth(
                    RecordedMessage.Hold.unknown(row.id(), base + row.slot()),
                    free ? EntryState.RECEIVED : EntryState.WAITING,
                    RetryBy.INBOX,
                    lock == null ? null : lock.number(),
                    null,
                    null));
        }
        return births;
    }

    private void setCause(Connection connection, long arrival, @Nullable Long cause) throws SQLException {
        if (cause == null) {
            return;
        }
        try (PreparedStatement statement = sql.prepare(connection, OutgoingStatement.SET_CAUSE)) {
            statement.setLong(1, cause);
            statement.setLong(2, arrival);
            statement.executeUpdate();
        }
    }
}
