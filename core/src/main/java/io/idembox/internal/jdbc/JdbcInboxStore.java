// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Failure;
import io.idembox.InboxConfigurationException;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.admin.AdminStores;
import io.idembox.internal.admin.ReplayStore;
import io.idembox.internal.engine.EntrySnapshot;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.ErrorText;
import io.idembox.internal.engine.FailureOutcome;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.IncomingMessage;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.LedgerMatch;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.PartitionStore;
import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.engine.SequenceStore;
import io.idembox.internal.engine.StepStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/** The store on a JDBC database. Thread-safe. */
public final class JdbcInboxStore implements InboxStore {

    private final Connections connections;
    private final Sql sql;
    private final NameRegistry names;
    private final BodyWriter bodyWriter;
    private final LedgerWriter ledgerWriter;
    private final SettlementWriter settlementWriter;
    private final KeyStore keys;
    private final SequenceStore sequences;
    private final StepStore steps;
    private final OutgoingStore outgoing;

    public JdbcInboxStore(DataSource dataSource, Database database, TableNames tables, StoreSettings settings) {
        this.connections = new Connections(dataSource, database, settings.sessions());
        this.sql = new Sql(database, tables, settings);
        this.names = new NameRegistry(connections, sql);
        this.bodyWriter = new BodyWriter(sql, names);
        this.settlementWriter = new SettlementWriter(sql, names, bodyWriter);
        switch (database) {
            case POSTGRESQL -> {
                PostgresLedgerWriter own = new PostgresLedgerWriter(sql, names, bodyWriter);
                this.ledgerWriter = own;
                this.outgoing = new PostgresOutgoingStore(this, sql, own);
            }
            case H2 -> {
                H2LedgerWriter own = new H2LedgerWriter(sql, names, bodyWriter);
                this.ledgerWriter = own;
                this.outgoing = new H2OutgoingStore(this, sql, own);
            }
            default -> throw new IllegalStateException("No such database");
        }
        this.sequences = new JdbcSequenceStore(this, sql);
        this.keys = switch (database) {
            case POSTGRESQL -> new PostgresKeyStore(this, sql, bodyWriter);
            case H2 -> new H2KeyStore(this, sql, bodyWriter);
        };
        this.steps = switch (database) {
            case POSTGRESQL -> new PostgresStepStore(this, sql);
            case H2 -> new H2StepStore(this, sql);
        };
    }

    /** The consumer of that name; it gets its number when it is first seen. */
    public RegisteredConsumer consumer(String name, ConsumerPolicy policy) {
        NameRegistry.KnownConsumer known = names.consumer(name);
        return new RegisteredConsumer(name, known.firstName(), known.number(), policy);
    }

    /** The consumer of that name, if it was ever seen. */
    public Optional<RegisteredConsumer> findConsumer(String name, ConsumerPolicy policy) {
        return names.find(name).map(known -> new RegisteredConsumer(name, known.firstName(), known.number(), policy));
    }

    /** The consumer that used to have another name. */
    public RegisteredConsumer renamedConsumer(String name, String oldName, ConsumerPolicy policy) {
        NameRegistry.KnownConsumer known = names.renamed(name, oldName);
        return new RegisteredConsumer(name, known.firstName(), known.number(), policy);
    }

    /** Records the ordering of the consumer; returns the one recorded before, if it was another. */
    public Optional<String> replaceOrdering(RegisteredConsumer consumer, String ordering) {
        return names.replaceOrdering(consumer.number(), ordering);
    }

    /** Makes a source known, so that nobody needs a connection for it later. */
    public void know(String source) {
        names.learn(List.of(source));
    }

    /** Describes errors without the values this database quotes. */
    public ErrorText errorText() {
        return new ErrorText(sql.database()::primaryMessage);
    }

    @Override
    public boolean ddlCommits() {
        return sql.database().ddlCommits();
    }

    @Override
    public Transaction begin() {
        return transaction(connections.borrow(false), true);
    }

    @Override
    public Transaction beginAside() {
        Transaction tx = begin();
        try {
            beginReadCommitted(tx);
            return tx;
        } catch (RuntimeException failed) {
            tx.close();
            throw failed;
        }
    }

    @Override
    public Transaction join(Connection connection) {
        checkSeesCommits(connection);
        return transaction(connection, false);
    }

    /**
     * A transaction that keeps an older view would take somebody for unfinished who has left, and wait behind him for ever.
     */
    private static void checkSeesCommits(Connection connection) {
        try {
            if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
                throw new InboxConfigurationException(
                        "The transaction is not READ COMMITTED, so that it does not see what others"
                                + " have committed since it began. Nothing was written. Begin a transaction of that isolation level.");
            }
        } catch (SQLException error) {
            throw SqlErrors.unavailable("use the connection", error);
        }
    }

    private JdbcTransaction transaction(Connection connection, boolean owned) {
        return switch (sql.database()) {
            case POSTGRESQL ->
                new PostgresTransaction(connection, owned, sql.settings().sessions());
            case H2 -> new H2Transaction(connection, owned, sql.settings().sessions());
        };
    }

    @Override
    public void prepare(List<IncomingMessage> incomings) {
        names.learn(incomings.stream().flatMap(IncomingMessage::sources).toList());
    }

    @Override
    public Inserted insert(
            Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> wanted, RecordingDepth depth) {
        return run(tx, "record messages", () -> ledgerWriter.insert(jdbc(tx), consumer, wanted, depth));
    }

    @Override
    public Inserted insertSingly(
            Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> wanted, RecordingDepth depth) {
        return run(tx, "record messages", () -> {
            jdbc(tx).beginReadCommitted();
            Inserted inserted = ledgerWriter.insertSingly(jdbc(tx), consumer, wanted, depth);
            tx.saveBatch();
            return inserted;
        });
    }

    @Override
    public List<LedgerMatch> find(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> seen) {
        return seen.isEmpty()
                ? List.of()
                : run(tx, "look up messages", () -> ledgerWriter.find(tx.connection(), consumer, seen));
    }

    @Override
    public Optional<EntrySnapshot> take(Transaction tx, RegisteredConsumer consumer, LedgerMatch match) {
        return run(tx, "take an entry over", () -> {
            List<EntrySnapshot> taken = new ArrayList<>(1);
            boolean answered = ledgerWriter.withBoundedWait(
                    jdbc(tx),
                    sql.settings().frontDoorWait(),
                    () -> taken.addAll(lockFailed(tx.connection(), consumer, match)));
            return answered ? taken.stream().findFirst() : Optional.empty();
        });
    }

    private List<EntrySnapshot> lockFailed(Connection connection, RegisteredConsumer consumer, LedgerMatch match)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.TAKE)) {
            statement.setInt(1, consumer.number());
            statement.setLong(2, match.arrival());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? List.of(new EntrySnapshot(
                                EntryState.FAILED_RETRYABLE,
                                RetryBy.REDELIVERY,
                                rows.getInt(1),
                                rows.getInt(2),
                                rows.getInt(3),
                                rows.getInt(4)))
                        : List.of();
            }
        }
    }

    @Override
    public Kept keepConflict(Transaction tx, RegisteredConsumer consumer, LedgerMatch match, IncomingMessage incoming) {
        return run(tx, "keep a conflicting payload", () -> {
            boolean[] first = new boolean[1];
            boolean answered = ledgerWriter.withBoundedWait(
                    jdbc(tx),
                    sql.settings().frontDoorWait(),
                    () -> first[0] = keepsConflict(tx.connection(), consumer, match, incoming));
            return !answered ? Kept.BUSY : first[0] ? Kept.FIRST_TIME : Kept.BEFORE;
        });
    }

    /** Its body row is its mark: whoever inserts the body gives birth to the entry, in the same transaction. */
    private boolean keepsConflict(
            Connection connection, RegisteredConsumer consumer, LedgerMatch match, IncomingMessage incoming)
            throws SQLException {
        RecordedMessage.Hold hold = RecordedMessage.Hold.unknown(incoming.id(), ledgerWriter.nextArrivals(connection));
        boolean first = bodyWriter.keepConflict(connection, consumer, hold, incoming, match.arrival());
        if (first) {
            Failure failure = ErrorText.refusal(
                    Failure.Kind.PARK,
                    "CONFLICT",
                    "The id " + incoming.id()
                            + " was seen before with another payload. This payload was not handled and is"
                            + " kept. Find out why the producer uses the id twice, then redrive or discard it.");
            FailureOutcome parked = new FailureOutcome(EntryState.PARKED, "CONFLICT", failure, null);
            settlementWriter.insertEntry(
                    connection,
                    consumer,
                    hold,
                    new SettlementWriter.Birth(parked, 1, RetryBy.INBOX, null, null, match.arrival()));
        }
        return first;
    }

    @Override
    public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
        run(tx, "settle messages", () -> {
            settlementWriter.write(tx.connection(), consumer, results);
            return true;
        });
    }

    @Override
    public Set<IncomingMessage> parkTorn(
            Transaction tx, RegisteredConsumer consumer, List<RecordedMessage> ours, Failure failure) {
        FailureOutcome parked = new FailureOutcome(EntryState.PARKED, "TORN", failure, null);
        List<NewLedgerRow> torn =
                NewLedgerRow.sorted(ours.stream().map(RecordedMessage::incoming).toList());
        return run(tx, "park messages", () -> {
            Map<String, LockedKey> locks = lockKeys(tx, consumer, torn);
            Map<Integer, Long> arrivals = new HashMap<>();
            insertSingly(tx, consumer, torn, RecordingDepth.MARK)
                    .arrivals()
                    .forEach(arrival -> arrivals.put((int) (arrival % NewLedgerRow.SLOTS), arrival));
            find(tx, consumer, torn).forEach(match -> arrivals.put(match.slot(), match.arrival()));
            Set<IncomingMessage> done = new HashSet<>();
            for (NewLedgerRow row : torn) {
                Long arrival = arrivals.get(row.slot());
                if (arrival != null) {
                    RecordedMessage.Hold hold = RecordedMessage.Hold.unknown(row.id(), arrival);
                    String key = row.incoming().key();
                    LockedKey lock = key == null ? null : locks.get(key);
                    settlementWriter.park(
                            tx.connection(),
                            consumer,
                            row.incoming(),
                            hold,
                            parked,
                            lock == null ? null : lock.number());
                    done.add(row.incoming());
                }
            }
            return done;
        });
    }

    /**
     * The keys that torn messages hold, by name: whoever comes later must not pass them. The row of a key may have gone with
     * the torn transaction. One that is busy is left out, because to be parked matters more than to hold.
     */
    private Map<String, LockedKey> lockKeys(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> torn) {
        if (consumer.policy().ordering() == Ordering.NONE) {
            return Map.of();
        }
        Set<String> names = new TreeSet<>();
        for (NewLedgerRow row : torn) {
            String key = row.incoming().key();
            boolean hasPlace =
                    consumer.policy().sequence() == null || row.incoming().sequenceNumber() != null;
            if (key != null && hasPlace) {
                names.add(key);
            }
        }
        return names.isEmpty() ? Map.of() : keys.lock(tx, consumer, names, LockWait.ROW_BY_ROW);
    }

    @Override
    public void write(RegisteredConsumer consumer, Minute minute) {
        try (Connection connection = connections.borrow(true);
                PreparedStatement statement = sql.prepare(connection, NameStatement.INSERT_TALLY)) {
            statement.setInt(1, consumer.number());
            Timestamps.bind(statement, 2, minute.start());
            statement.setString(3, sql.settings().node());
            int column = 4;
            for (Receipt.Kind kind : Receipt.Kind.values()) {
                statement.setLong(column++, minute.counts().getOrDefault(kind, 0L));
            }
            statement.executeUpdate();
        } catch (SQLException error) {
            throw SqlErrors.unavailable("write the counts of a minute", error);
        }
    }

    @Override
    public KeyStore keys() {
        return keys;
    }

    @Override
    public SequenceStore sequences() {
        return sequences;
    }

    @Override
    public OutgoingStore outgoing() {
        return outgoing;
    }

    /** The half of the store that knows what is finished of a message before it is. */
    StepStore steps() {
        return steps;
    }

    /** The half of the store that knows who works on what. */
    public LeaseStore leases() {
        return switch (sql.database()) {
            case POSTGRESQL -> new PostgresLeaseStore(this, sql, names);
            case H2 -> new H2LeaseStore(this, sql, names);
        };
    }

    /** The half of the store that forgets. */
    public RetentionStore retention() {
        return switch (sql.database()) {
            case POSTGRESQL -> new PostgresRetentionStore(this, sql);
            case H2 -> new H2RetentionStore(this, sql);
        };
    }

    /** The half of the store that knows who stands still. */
    public PauseStore pauses() {
        return new JdbcPauseStore(this, sql);
    }

    /** The half of the store that knows who reads what. */
    public PartitionStore owners() {
        return new JdbcPartitionStore(this, sql);
    }

    /** The half of the store that people look at and change. */
    public AdminStores files() {
        Optional<ReplayStore> replays = switch (sql.database()) {
            case POSTGRESQL -> Optional.of(new PostgresReplayStore(this, sql));
            case H2 -> Optional.empty();
        };
        return new AdminStores(
                new JdbcAdminStore(this, sql),
                new JdbcCommandStore(this, sql),
                pauses(),
                new JdbcCampaignStore(this, sql),
                replays,
                new JdbcAuditStore(this, sql));
    }

    /** A transaction in which no handler runs. */
    <T> T inTransaction(String what, SqlFunction<Transaction, T> work) {
        try (Transaction tx = begin()) {
            beginReadCommitted(tx);
            T result = during(tx, what, connection -> work.apply(tx));
            tx.commit();
            return result;
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The database did not " + what + " (" + failed.kind() + "). Trying again is safe.", failed);
        }
    }

    /** A transaction that is one bundle of statements, the last of which is its commit. */
    <T> T inBundle(String what, SqlFunction<Connection, T> bundle) {
        try (Transaction tx = begin()) {
            T result = during(tx, what, bundle);
            jdbc(tx).committedInBundle();
            return result;
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The database did not " + what + " (" + failed.kind() + "). Trying again is safe.", failed);
        }
    }

    /** A few statements inside a transaction. */
    <T> T during(Transaction tx, String what, SqlFunction<Connection, T> work) {
        return run(tx, what, () -> work.apply(tx.connection()));
    }

    /** False when somebody held a lock for longer than the front door waits; then nothing happened. */
    boolean withBoundedWait(Transaction tx, LedgerWriter.SqlWork work) throws SQLException {
        return ledgerWriter.withBoundedWait(jdbc(tx), sql.settings().frontDoorWait(), work);
    }

    /** The same with another bound. */
    boolean withBoundedWait(Transaction tx, Duration bound, LedgerWriter.SqlWork work) throws SQLException {
        return ledgerWriter.withBoundedWait(jdbc(tx), bound, work);
    }

    /** The same with the short wait of the row-by-row path. */
    boolean withShortWait(Transaction tx, LedgerWriter.SqlWork work) throws SQLException {
        return ledgerWriter.withBoundedWait(jdbc(tx), StoreSettings.ROW_WAIT, work);
    }

    /** Begins a transaction in which handlers run, without recording anything. */
    void beginBatch(Transaction tx) {
        jdbc(tx).beginBatch();
    }

    /** Begins a transaction in which no handler runs, and whose statements see what was committed before each of them. */
    void beginReadCommitted(Transaction tx) {
        run(tx, "begin a transaction", () -> {
            jdbc(tx).beginReadCommitted();
            return true;
        });
    }

    /** Some statements on something. */
    @FunctionalInterface
    interface SqlFunction<T, R> {
        R apply(T on) throws SQLException;
    }

    static JdbcTransaction jdbc(Transaction tx) {
        return (JdbcTransaction) tx;
    }

    private static <T> T run(Transaction tx, String what, SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException error) {
            throw jdbc(tx).failed(what, error);
        }
    }

    private interface SqlCall<T> {
        T run() throws SQLException;
    }
}
