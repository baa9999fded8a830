// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Mark;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.Ordering;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What every database does alike about what is sent. Thread-safe. */
abstract class JdbcOutgoingStore implements OutgoingStore {

    final JdbcInboxStore store;
    final Sql sql;

    JdbcOutgoingStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public final Set<Long> send(Transaction tx, Consumer destination, List<Mark> marks, Map<Integer, Long> causes) {
        return store.during(tx, "send messages", connection -> sendAll(tx, destination, marks, causes));
    }

    abstract Set<Long> sendAll(Transaction tx, Consumer destination, List<Mark> marks, Map<Integer, Long> causes)
            throws SQLException;

    /** The keys to be locked, in the order every node locks them in. */
    static Set<String> keysOf(Consumer destination, List<Mark> marks) {
        Set<String> names = new TreeSet<>();
        if (destination.policy().ordering() != Ordering.NONE) {
            for (Mark mark : marks) {
                String key = mark.candidate().key();
                if (key != null) {
                    names.add(key);
                }
            }
        }
        return names;
    }

    @Override
    public final Optional<Tries> tries(long arrival) {
        return store.inTransaction("look up tries", tx -> findTries(tx.connection(), arrival));
    }

    private Optional<Tries> findTries(Connection connection, long arrival) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, OutgoingStatement.FIND_TRIES)) {
            statement.setLong(1, arrival);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(
                                new Tries(Time.read(rows, "first_tried").orElseThrow(), rows.getString("error_class")))
                        : Optional.empty();
            }
        }
    }
}
