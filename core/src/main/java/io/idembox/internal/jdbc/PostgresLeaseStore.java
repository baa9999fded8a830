// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Claimed;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Leases on PostgreSQL: claiming and reaping are one statement each. */
final class PostgresLeaseStore extends JdbcLeaseStore {

    /** The oldest lease of each consumer that the last claim found. */
    private final Map<Integer, Long> oldest = new ConcurrentHashMap<>();

    PostgresLeaseStore(JdbcInboxStore store, Sql sql) {
        super(store, sql);
    }

    @Override
    public List<Lease> claim(Consumer consumer, Demand demand) {
        // Crash here: the leases stand, nobody works on them, and they run out. A crash is counted for each entry, though it
        // did not run: nobody can tell. Three park it.
        return store.inBundle("claim messages", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.CLAIM)) {
                bind(statement, consumer, demand);
                List<Lease> leases = new ArrayList<>();
                PostgresMarks.forRowsOf("token", statement, rows -> leases.addAll(leases(consumer, rows)));
                return leases;
            }
        });
    }

    private void bind(PreparedStatement statement, Consumer consumer, Demand demand) throws SQLException {
        int wanted = demand.batches() * demand.batchSize();
        List<UUID> tokens =
                Stream.generate(UUID::randomUUID).limit(demand.batches()).toList();
        new Binder(sql, statement)
                .text(sql.settings().frontDoorWait().toMillis() + "ms")
                .number(consumer.number())
                .number(consumer.number())
                .number(consumer.number())
                .number(floorOf(consumer, demand))
                .number(consumer.number())
                .now()
                .number(wanted)
                .number(consumer.number())
                .number(demand.floor())
                .number(wanted)
                .number(consumer.number())
                .now()
                .number(demand.batchSize())
                .number(wanted)
                .number(demand.batchSize())
                .number(consumer.number())
                .now()
                .due(demand.lease())
                .text(sql.settings().node())
                .tokens(tokens)
                .token(UUID.randomUUID());
    }

    /**
     * Where leases are looked for. A sweep looks for all of them: after a crash of the server numbers may have been given
     * out again. A lease that is overlooked costs time only, since its entries can be settled once.
     */
    private long floorOf(Consumer consumer, Demand demand) {
        return demand.floor() == 0 ? 0 : oldest.getOrDefault(consumer.number(), 0L);
    }

    private List<Lease> leases(Consumer consumer, ResultSet rows) throws SQLException {
        List<Lease> leases = new ArrayList<>();
        while (rows.next()) {
            oldest.put(consumer.number(), rows.getLong("oldest"));
            leases.add(new Lease(rows.getObject("token", UUID.class), rows.getBoolean("alone"), List.of((Long[])
                    rows.getArray("arrivals").getArray())));
        }
        return leases;
    }

    @Override
    public List<Claimed> load(Consumer consumer, Lease lease) {
        return store.inBundle("load messages", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.LOAD)) {
                new Binder(sql, statement).number(consumer.number()).numbers(lease.arrivals());
                List<Claimed> loaded = new ArrayList<>(lease.arrivals().size());
                PostgresMarks.forRowsOf("arrival", statement, rows -> loaded.addAll(members(rows)));
                return loaded;
            }
        });
    }

    @Override
    public Set<UUID> renew(Collection<UUID> tokens, Duration lease) {
        List<UUID> asked = List.copyOf(tokens);
        return store.inTransaction("renew leases", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.RENEW_LEASES)) {
                new Binder(sql, statement).tokens(asked).due(lease);
                statement.executeUpdate();
            }
            Set<UUID> gone = new HashSet<>(asked);
            gone.removeAll(existing(tx.connection(), asked));
            return gone;
        });
    }

    private List<UUID> existing(Connection connection, List<UUID> tokens) throws SQLException {
        List<UUID> existing = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.FIND_LEASES)) {
            new Binder(sql, statement).tokens(tokens);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    existing.add(rows.getObject(1, UUID.class));
                }
            }
        }
        return existing;
    }

    @Override
    List<Reaped> reapExpired(Transaction tx, Consumer consumer) throws SQLException {
        List<Reaped> reaped = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.REAP)) {
            new Binder(sql, statement)
                    .number(consumer.number())
                    .now()
                    .now()
                    .text(EXPIRED)
                    .now();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reaped.add(reaped(rows, rows.getLong("arrival")));
                }
            }
        }
        return reaped;
    }
}
