// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.EntrySnapshot;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.KeyQueue;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.MissingRow;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.StepStore;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What every database does alike about leases. Thread-safe. */
abstract class JdbcLeaseStore implements LeaseStore {

    final JdbcInboxStore store;
    final Sql sql;
    private final NameRegistry names;

    JdbcLeaseStore(JdbcInboxStore store, Sql sql, NameRegistry names) {
        this.store = store;
        this.sql = sql;
        this.names = names;
    }

    /** The states in which an entry holds those behind it, but for waiting. */
    static List<String> standing(RegisteredConsumer consumer) {
        return JdbcKeyStore.blocking(consumer).stream()
                .filter(state -> !state.equals(EntryState.WAITING.name()))
                .toList();
    }

    /** Caches the sources of loaded messages, so that settling them needs no lookup on a second connection. */
    final List<ClaimedMessage> loaded(ResultSet rows) throws SQLException {
        List<ClaimedMessage> members = new ArrayList<>();
        while (rows.next()) {
            String source = rows.getString("source");
            if (source != null) {
                names.learned(source, rows.getInt("source_id"));
            }
            members.add(member(rows));
        }
        return members;
    }

    static List<ClaimedMessage> members(ResultSet rows) throws SQLException {
        List<ClaimedMessage> members = new ArrayList<>();
        while (rows.next()) {
            members.add(member(rows));
        }
        return members;
    }

    private static ClaimedMessage member(ResultSet rows) throws SQLException {
        EntrySnapshot snapshot = new EntrySnapshot(
                EntryState.valueOf(rows.getString("state")),
                RowMappers.owner(rows),
                rows.getInt("failures"),
                rows.getInt("crashes"),
                rows.getInt("releases"),
                rows.getInt("forgiven"),
                rows.getInt("generation"),
                rows.getObject("conflict", UUID.class));
        MissingRow missingRow = rows.getString("event_type") == null
                ? MissingRow.BODY_GONE
                : rows.getString("source") == null ? MissingRow.SOURCE_GONE : null;
        MessageId id = RowMappers.messageId(rows, source(rows));
        return new ClaimedMessage(
                rows.getLong("arrival"),
                snapshot,
                RowMappers.numberOrNull(rows, "key_id"),
                RowMappers.numberOrNull(rows, "sequence_no"),
                RowMappers.numberOrNull(rows, "reached"),
                id,
                missingRow == null ? message(rows, id) : standIn(id),
                missingRow);
    }

    private static @Nullable String source(ResultSet rows) throws SQLException {
        String source = rows.getString("source");
        Long number = RowMappers.numberOrNull(rows, "source_id");
        return source != null || number == null ? source : NameRegistry.missing(number.intValue());
    }

    /** A placeholder for a message whose body or source is missing; it is never handled. */
    private static Message standIn(MessageId id) {
        return Message.of(id.id(), "(unknown)", Payload.tombstone()).from(id.source());
    }

    private static Message message(ResultSet rows, MessageId id) throws SQLException {
        byte[] headers = rows.getBytes("headers");
        Message message = Message.of(id.id(), rows.getString("event_type"), BodyWriter.payloadIn(rows))
                .from(id.source())
                .typed(rows.getString("event_type"), rows.getInt("event_version"))
                .headers(headers == null ? Headers.none() : HeaderBytes.read(headers));
        String key = rows.getString("message_key");
        String channel = rows.getString("channel");
        Message keyed = key == null ? message : message.keyed(key);
        Message placed = channel == null
                ? keyed
                : keyed.at(new Position(channel, rows.getInt("partition_no"), rows.getLong("offset_no")));
        return Timestamps.read(rows, "sent_at").map(placed::sentAt).orElse(placed);
    }

    @Override
    public final List<Reaped> reap(RegisteredConsumer consumer) {
        return reap(consumer, (tx, parked) -> {});
    }

    @Override
    public final List<Reaped> reap(RegisteredConsumer consumer, OnParked onParked) {
        return store.inTransaction("reap leases", tx -> {
            List<Reaped> reaped = identified(tx.connection(), reapExpired(tx, consumer));
            KeyQueue keyQueue = new KeyQueue(store, consumer).impatiently();
            if (keyQueue.parkedLetsPass()) {
                KeyQueue.Keys keys = new KeyQueue.Keys();
                for (Reaped each : reaped) {
                    if (each.state() == EntryState.PARKED && each.key() != null) {
                        keys.left(each.key(), each.generation(), each.sequenceNumber());
                    }
                }
                keyQueue.letPass(tx, keys);
            }
            List<ClaimedMessage> parked = loadParked(tx.connection(), consumer, reaped);
            if (!parked.isEmpty()) {
                onParked.parked(tx, parked);
            }
            // Crash here: the leases are unchanged, and the next reaper expires them; nothing is parked or sent.
            return reaped;
        });
    }

    private List<Reaped> identified(Connection connection, List<Reaped> reaped) throws SQLException {
        if (reaped.isEmpty()) {
            return reaped;
        }
        Map<Long, MessageId> ids = new HashMap<>();
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.FIND_IDS)) {
            new Binder(sql, statement)
                    .numbers(reaped.stream().map(Reaped::arrival).toList());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.put(rows.getLong("arrival"), RowMappers.messageId(rows, rows.getString("source")));
                }
            }
        }
        return reaped.stream().map(each -> each.of(ids.get(each.arrival()))).toList();
    }

    private List<ClaimedMessage> loadParked(Connection connection, RegisteredConsumer consumer, List<Reaped> reaped)
            throws SQLException {
        List<Long> parked = reaped.stream()
                .filter(each -> each.state() == EntryState.PARKED)
                .map(Reaped::arrival)
                .toList();
        if (parked.isEmpty()) {
            return List.of();
        }
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.LOAD_PARKED)) {
            new Binder(sql, statement).number(consumer.number()).numbers(parked);
            try (ResultSet rows = statement.executeQuery()) {
                return members(rows);
            }
        }
    }

    abstract List<Reaped> reapExpired(Transaction tx, RegisteredConsumer consumer) throws SQLException;

    static Reaped reaped(ResultSet rows, long arrival) throws SQLException {
        EntryState state = EntryState.valueOf(rows.getString("state"));
        return new Reaped(
                arrival,
                rows.getInt("crashes"),
                state,
                RowMappers.numberOrNull(rows, "key_id"),
                RowMappers.numberOrNull(rows, "sequence_no"),
                rows.getInt("generation"),
                null);
    }

    @Override
    public final Lease claimFirst(
            Transaction tx, RegisteredConsumer consumer, long arrival, boolean taken, Duration duration) {
        Lease lease = new Lease(UUID.randomUUID(), true, List.of(arrival));
        return store.during(tx, "claim a message", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.GATE)) {
                new Binder(sql, statement).number(consumer.number());
                statement.executeQuery().close();
            }
            if (taken) {
                try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.HOLD_ENTRY)) {
                    new Binder(sql, statement).number(consumer.number()).number(arrival);
                    SettlementWriter.checkStillOurs(statement.executeUpdate(), 1);
                }
            }
            insert(connection, consumer, lease, duration);
            return lease;
        });
    }

    final void insert(Connection connection, RegisteredConsumer consumer, Lease lease, Duration duration)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.INSERT_LEASE)) {
            new Binder(sql, statement)
                    .token(lease.token())
                    .number(consumer.number())
                    .now()
                    .due(duration)
                    .flag(lease.alone())
                    .text(sql.settings().node())
                    .numbers(lease.arrivals());
            statement.executeUpdate();
        }
    }

    @Override
    public final StepStore steps() {
        return store.steps();
    }

    @Override
    public final void open(Transaction tx) {
        store.beginBatch(tx);
    }

    @Override
    public final boolean settle(Transaction tx, UUID token, List<Long> rest) {
        return store.during(tx, "settle a lease", connection -> leave(connection, token, rest));
    }

    /** The lease ends, or goes on for the rest; false when it is gone. */
    final boolean leave(Connection connection, UUID token, List<Long> rest) throws SQLException {
        if (rest.isEmpty()) {
            return end(connection, token);
        }
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.SHRINK_LEASE)) {
            new Binder(sql, statement).numbers(rest).token(token);
            return statement.executeUpdate() == 1;
        }
    }

    final boolean end(Connection connection, UUID token) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.END_LEASE)) {
            statement.setObject(1, token);
            return statement.executeUpdate() == 1;
        }
    }

    @Override
    public final void release(RegisteredConsumer consumer, Lease lease) {
        giveBack(consumer, lease.token(), lease.arrivals(), List.of());
    }

    @Override
    public final void abandon(RegisteredConsumer consumer, Lease lease, List<Long> suspects) {
        List<Long> others = new ArrayList<>(lease.arrivals());
        others.removeAll(suspects);
        giveBack(consumer, lease.token(), others, suspects);
    }

    private void giveBack(RegisteredConsumer consumer, UUID token, List<Long> arrivals, List<Long> rest) {
        store.inTransaction("release messages", tx -> {
            // Race: the lease may be gone, or a commit nobody heard of may be ending it right now. Then it is not ours.
            boolean[] ours = new boolean[1];
            store.withBoundedWait(tx, () -> ours[0] = leave(tx.connection(), token, rest));
            if (ours[0]) {
                try (PreparedStatement statement = sql.prepare(tx.connection(), LeaseStatement.RELEASE_ENTRIES)) {
                    new Binder(sql, statement).number(consumer.number()).numbers(arrivals);
                    statement.executeUpdate();
                }
            }
            // Crash here: the lease is as it was, and runs out for all of them.
            return ours[0];
        });
    }
}
