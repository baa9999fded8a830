// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.RegisteredConsumer;
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
import java.util.Set;
import java.util.UUID;

/** Leases on H2: the same steps, one by one behind the gate. */
final class H2LeaseStore extends JdbcLeaseStore {

    H2LeaseStore(JdbcInboxStore store, Sql sql, NameRegistry names) {
        super(store, sql, names);
    }

    @Override
    public List<Lease> claim(RegisteredConsumer consumer, Demand demand) {
        // Crash here, or the answer is lost: the leases stand, nobody works on them, and they run out. A crash is
        // counted
        // for each entry, though it did not run: nobody can tell. Three park it.
        return store.inTransaction("claim messages", tx -> {
            List<Lease> leases = new ArrayList<>();
            boolean claimed = store.withBoundedWait(tx, () -> {
                if (isPaused(tx.connection(), consumer)) {
                    return;
                }
                leases.addAll(choose(tx.connection(), consumer, demand));
                for (Lease lease : leases) {
                    insert(tx.connection(), consumer, lease, demand.lease());
                }
            });
            // After a wait in vain everything is undone, leases too: whoever worked under one would work unseen.
            return claimed ? leases : List.of();
        });
    }

    /** Takes the gate; whether there is nothing to be claimed behind it. */
    private boolean isPaused(Connection connection, RegisteredConsumer consumer) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.GATE)) {
            statement.setInt(1, consumer.number());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getObject("paused_at") != null;
            }
        }
    }

    private List<Lease> choose(Connection connection, RegisteredConsumer consumer, Demand demand) throws SQLException {
        Set<Long> leased = new HashSet<>();
        boolean someoneAlone = findLeased(connection, consumer, leased);
        List<Long> chosen = new ArrayList<>();
        Long suspect = null;
        int wanted = demand.batches() * demand.batchSize();
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.FIND_DUE)) {
            new Binder(sql, statement).number(consumer.number()).now();
            try (ResultSet rows = statement.executeQuery()) {
                while (chosen.size() < wanted && rows.next()) {
                    if (leased.contains(rows.getLong(1))) {
                        continue;
                    }
                    if (rows.getInt(2) < ALONE_AFTER) {
                        chosen.add(rows.getLong(1));
                    } else if (suspect == null && !someoneAlone) {
                        // Those come first, so nothing is chosen yet: it takes the place of a batch.
                        suspect = rows.getLong(1);
                        wanted -= demand.batchSize();
                    }
                }
            }
        }
        chosen.sort(null);
        List<Lease> leases = new ArrayList<>();
        for (int from = 0; from < chosen.size(); from += demand.batchSize()) {
            int to = Math.min(from + demand.batchSize(), chosen.size());
            leases.add(new Lease(UUID.randomUUID(), false, List.copyOf(chosen.subList(from, to))));
        }
        if (suspect != null) {
            leases.add(new Lease(UUID.randomUUID(), true, List.of(suspect)));
        }
        return leases;
    }

    /** Whether an entry is being run alone. */
    private boolean findLeased(Connection connection, RegisteredConsumer consumer, Set<Long> leased)
            throws SQLException {
        boolean someoneAlone = false;
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.FIND_LEASED)) {
            statement.setInt(1, consumer.number());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    leased.addAll(numbers(rows, "arrivals"));
                    someoneAlone |= rows.getBoolean("alone");
                }
            }
        }
        return someoneAlone;
    }

    private static List<Long> numbers(ResultSet rows, String column) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        for (Object each : (Object[]) rows.getArray(column).getArray()) {
            numbers.add((Long) each);
        }
        return numbers;
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease) {
        return store.inTransaction("load messages", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.LOAD)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .numbers(lease.arrivals())
                        .token(lease.token());
                try (ResultSet rows = statement.executeQuery()) {
                    return loaded(rows);
                }
            }
        });
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease, int followers) {
        List<ClaimedMessage> heads = load(consumer, lease);
        if (followers == 0) {
            return heads;
        }
        return store.inTransaction("load messages", tx -> {
            List<ClaimedMessage> all = new ArrayList<>(heads);
            // Behind the gate, as every claim: no command touches what is under a lease.
            isPaused(tx.connection(), consumer);
            Set<Long> leased = new HashSet<>();
            findLeased(tx.connection(), consumer, leased);
            int room = followers;
            for (ClaimedMessage head : heads) {
                if (head.key() != null && room > 0) {
                    List<ClaimedMessage> behind = behind(tx.connection(), consumer, head, room).stream()
                            .takeWhile(member -> !leased.contains(member.arrival()))
                            .toList();
                    all.addAll(behind);
                    room -= behind.size();
                }
            }
            List<Long> arrivals = all.stream().map(ClaimedMessage::arrival).toList();
            return leave(tx.connection(), lease.token(), arrivals) ? all : List.<ClaimedMessage>of();
        });
    }

    private List<ClaimedMessage> behind(
            Connection connection, RegisteredConsumer consumer, ClaimedMessage head, int followers)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.EXTEND_LEASE)) {
            new Binder(sql, statement)
                    .number(consumer.number())
                    .number(head.key() == null ? 0 : head.key())
                    .number(head.arrival())
                    .texts(standing(consumer))
                    .number(head.arrival())
                    .number(followers);
            try (ResultSet rows = statement.executeQuery()) {
                return loaded(rows);
            }
        }
    }

    @Override
    public Renewal renew(Collection<UUID> tokens, Duration lease) {
        Set<UUID> gone = new HashSet<>();
        Set<UUID> renewed = new HashSet<>();
        for (UUID token : tokens) {
            store.inTransaction("renew a lease", tx -> {
                // One that is being settled is locked; it needs no more time.
                return store.withBoundedWait(tx, () -> {
                    try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.RENEW_LEASES)) {
                        new Binder(sql, statement).due(lease).token(token);
                        (statement.executeUpdate() == 0 ? gone : renewed).add(token);
                    }
                });
            });
        }
        return new Renewal(renewed, gone);
    }

    @Override
    List<Reaped> reapExpired(Transaction tx, RegisteredConsumer consumer) throws SQLException {
        List<Reaped> reaped = new ArrayList<>();
        // One that is being settled is locked; the next round looks again.
        boolean answered = store.withBoundedWait(tx, () -> reaped.addAll(crashAll(tx.connection(), consumer)));
        return answered ? reaped : List.of();
    }

    private List<Reaped> crashAll(Connection connection, RegisteredConsumer consumer) throws SQLException {
        List<Reaped> reaped = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.FIND_EXPIRED)) {
            new Binder(sql, statement).number(consumer.number()).now();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (end(connection, rows.getObject("token", UUID.class))) {
                        for (Long arrival : numbers(rows, "arrivals")) {
                            if (!consumer.isOutgoing()) {
                                suspect(connection, consumer, arrival);
                            }
                            reaped.addAll(crash(connection, consumer, rows, arrival));
                        }
                    }
                }
            }
        }
        return reaped;
    }

    /** Those who waited behind others under the lease may have been the ones that ended the process. */
    private void suspect(Connection connection, RegisteredConsumer consumer, long arrival) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.SUSPECT_ENTRY)) {
            new Binder(sql, statement).now().number(consumer.number()).number(arrival);
            statement.executeUpdate();
        }
    }

    private List<Reaped> crash(Connection connection, RegisteredConsumer consumer, ResultSet lease, long arrival)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.CRASH_ENTRY)) {
            new Binder(sql, statement)
                    .now()
                    .text(EXPIRED)
                    .now()
                    .number(consumer.number())
                    .number(arrival);
            if (statement.executeUpdate() == 0) {
                return List.of();
            }
        }
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.FIND_CRASHED)) {
            new Binder(sql, statement).number(consumer.number()).number(arrival);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                Reaped reaped = reaped(rows, arrival);
                insertAttempt(connection, lease, reaped, rows.getInt("number"));
                return List.of(reaped);
            }
        }
    }

    private void insertAttempt(Connection connection, ResultSet lease, Reaped reaped, int number) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.INSERT_ATTEMPT)) {
            new Binder(sql, statement)
                    .number(reaped.arrival())
                    .number(number)
                    .text(lease.getString("node"))
                    .due(sql.settings()
                            .since(Timestamps.read(lease, "claimed_at").orElseThrow()))
                    .now()
                    .text(reaped.state().name())
                    .text(reaped.state() == EntryState.PARKED ? "PARK" : "TRANSIENT")
                    .text("LeaseExpired")
                    .text(null)
                    .text(EXPIRED)
                    .text(null)
                    .text(null);
            statement.executeUpdate();
        }
    }
}
