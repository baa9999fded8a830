// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
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

    /** Should more be lost in a row than that, the first ones run out. */
    private static final int UNHEARD = 1_000;

    /** The oldest lease of each consumer that the last claim found. */
    private final Map<Integer, Long> oldest = new ConcurrentHashMap<>();

    /** Tokens of each consumer's claims whose answer was lost. */
    private final Map<Integer, List<UUID>> unheard = new ConcurrentHashMap<>();

    PostgresLeaseStore(JdbcInboxStore store, Sql sql, NameRegistry names) {
        super(store, sql, names);
    }

    @Override
    public List<Lease> claim(RegisteredConsumer consumer, Demand demand) {
        List<UUID> tokens =
                Stream.generate(UUID::randomUUID).limit(demand.batches() + 1L).toList();
        List<Lease> claimed = store.inBundle("claim messages", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.CLAIM)) {
                bind(statement, consumer, demand, tokens);
                List<Lease> leases = new ArrayList<>();
                PostgresLedgerWriter.forRowsOf("token", statement, rows -> leases.addAll(leases(consumer, rows)));
                return leases;
            } catch (SQLException lost) {
                unheard.merge(consumer.number(), tokens, PostgresLeaseStore::latest);
                throw lost;
            }
        });
        // Crash here: the leases stand, nobody works on them, and they run out. A crash is counted for each entry,
        // though it did not run: nobody can tell. Three park it.
        giveBackUnheard(consumer);
        return claimed;
    }

    private static List<UUID> latest(List<UUID> before, List<UUID> more) {
        List<UUID> all = new ArrayList<>(before);
        all.addAll(more);
        return all.subList(Math.max(0, all.size() - UNHEARD), all.size());
    }

    /**
     * Claims whose answer was lost may have been committed: nobody works under their leases. A claim that went through came
     * behind them, through the same gate, so by now it is known.
     */
    private void giveBackUnheard(RegisteredConsumer consumer) {
        List<UUID> tokens = unheard.remove(consumer.number());
        if (tokens == null) {
            return;
        }
        try {
            find(tokens).forEach(lease -> release(consumer, lease));
        } catch (StoreUnavailableException again) {
            unheard.merge(consumer.number(), tokens, PostgresLeaseStore::latest);
        }
    }

    private List<Lease> find(List<UUID> tokens) {
        return store.inTransaction("look for leases", tx -> {
            List<Lease> found = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.FIND_LEASES)) {
                new Binder(sql, statement).tokens(tokens);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        found.add(lease(rows));
                    }
                }
            }
            return found;
        });
    }

    private void bind(PreparedStatement statement, RegisteredConsumer consumer, Demand demand, List<UUID> tokens)
            throws SQLException {
        int wanted = demand.batches() * demand.batchSize();
        new Binder(sql, statement)
                .text(sql.settings().frontDoorWait().toMillis() + "ms")
                .flag(demand.remembered())
                .number(consumer.number())
                .number(consumer.number())
                .text(consumer.firstName())
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
                .tokens(tokens.subList(0, demand.batches()))
                .token(tokens.get(demand.batches()));
    }

    /**
     * Where leases are looked for. A sweep looks for all of them: after a crash of the server numbers may have been given
     * out again. A lease that is overlooked costs time only, since its entries can be settled once; where what is done cannot be
     * undone, none is overlooked.
     */
    private long floorOf(RegisteredConsumer consumer, Demand demand) {
        return demand.floor() == 0 || demand.remembered() ? 0 : oldest.getOrDefault(consumer.number(), 0L);
    }

    private List<Lease> leases(RegisteredConsumer consumer, ResultSet rows) throws SQLException {
        List<Lease> leases = new ArrayList<>();
        long lowest = Long.MAX_VALUE;
        while (rows.next()) {
            // Without other leases each of these says that it is the oldest.
            lowest = Math.min(lowest, rows.getLong("oldest"));
            leases.add(lease(rows));
        }
        if (!leases.isEmpty()) {
            oldest.put(consumer.number(), lowest);
        }
        return leases;
    }

    private static Lease lease(ResultSet rows) throws SQLException {
        return new Lease(rows.getObject("token", UUID.class), rows.getBoolean("alone"), List.of((Long[])
                rows.getArray("arrivals").getArray()));
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease) {
        return load(LeaseStatement.LOAD, consumer, lease.token(), lease.arrivals());
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease, int followers) {
        if (followers == 0) {
            return load(consumer, lease);
        }
        // Crash here: those who wait are under the lease, and nobody works on them. It runs out.
        return load(LeaseStatement.LOAD_EXTENDED, consumer, lease.token(), extend(consumer, lease, followers));
    }

    private List<Long> extend(RegisteredConsumer consumer, Lease lease, int followers) {
        return store.inBundle("extend a lease", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.EXTEND_LEASE)) {
                new Binder(sql, statement)
                        .text(sql.settings().frontDoorWait().toMillis() + "ms")
                        .number(consumer.number())
                        .number(consumer.number())
                        .token(lease.token())
                        .texts(standing(consumer))
                        .number(followers);
                List<Long> arrivals = new ArrayList<>();
                PostgresLedgerWriter.forRowsOf("arrivals", statement, rows -> {
                    while (rows.next()) {
                        arrivals.addAll(
                                List.of((Long[]) rows.getArray("arrivals").getArray()));
                    }
                });
                return arrivals;
            }
        });
    }

    private List<ClaimedMessage> load(
            LeaseStatement text, RegisteredConsumer consumer, UUID token, List<Long> arrivals) {
        return store.inBundle("load messages", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, text)) {
                new Binder(sql, statement)
                        .numbers(arrivals)
                        .number(consumer.number())
                        .token(token);
                List<ClaimedMessage> loaded = new ArrayList<>();
                PostgresLedgerWriter.forRowsOf("arrival", statement, rows -> loaded.addAll(loaded(rows)));
                return loaded;
            }
        });
    }

    @Override
    public Renewal renew(Collection<UUID> tokens, Duration lease) {
        List<UUID> asked = List.copyOf(tokens);
        return store.inTransaction("renew leases", tx -> {
            Set<UUID> renewed = new HashSet<>();
            try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.RENEW_LEASES)) {
                new Binder(sql, statement).tokens(asked).due(lease);
                renewed.addAll(tokens(statement));
            }
            Set<UUID> gone = new HashSet<>(asked);
            try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.FIND_LEASES)) {
                new Binder(sql, statement).tokens(asked);
                gone.removeAll(tokens(statement));
            }
            return new Renewal(renewed, gone);
        });
    }

    private static Set<UUID> tokens(PreparedStatement statement) throws SQLException {
        Set<UUID> tokens = new HashSet<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                tokens.add(rows.getObject(1, UUID.class));
            }
        }
        return tokens;
    }

    @Override
    List<Reaped> reapExpired(Transaction tx, RegisteredConsumer consumer) throws SQLException {
        List<Reaped> reaped = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.REAP)) {
            new Binder(sql, statement)
                    .number(consumer.number())
                    .now()
                    .now()
                    .text(EXPIRED)
                    .now()
                    .now()
                    .flag(!consumer.isOutgoing());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reaped.add(reaped(rows, rows.getLong("arrival")));
                }
            }
        }
        return reaped;
    }
}
