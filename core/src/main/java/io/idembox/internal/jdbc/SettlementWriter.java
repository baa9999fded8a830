// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Failure;
import io.idembox.Payload;
import io.idembox.internal.engine.EntrySnapshot;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.FailureFingerprint;
import io.idembox.internal.engine.FailureOutcome;
import io.idembox.internal.engine.IncomingMessage;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.RetryBy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes how messages ended. A completed first try without a result needs nothing: its ledger row says it all. Entries
 * that are ours have to be where they were when we got them, and the row count is checked. Thread-safe.
 */
final class SettlementWriter {

    private static final String TRACE_PARENT = "traceparent";
    private static final Pattern TRACE_ID = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    private final Sql sql;
    private final NameRegistry names;
    private final BodyWriter bodyWriter;

    SettlementWriter(Sql sql, NameRegistry names, BodyWriter bodyWriter) {
        this.sql = sql;
        this.names = names;
        this.bodyWriter = bodyWriter;
    }

    void write(Connection connection, RegisteredConsumer consumer, List<MessageResult> results) throws SQLException {
        complete(
                connection,
                consumer,
                results.stream()
                        .filter(ending -> ending.kind() == MessageResult.Kind.COMPLETED
                                || ending.kind() == MessageResult.Kind.SKIPPED)
                        .toList());
        for (MessageResult ending : results) {
            switch (ending.kind()) {
                case COMPLETED, SKIPPED -> {
                    // A second mark stays: nodes with the older identity strategy have to see a duplicate.
                }
                case STORED -> adopt(connection, consumer, ending.recorded());
                case HELD -> release(connection, consumer, ending.recorded().holds());
                case FAILED -> fail(connection, consumer, ending);
            }
        }
    }

    private void complete(Connection connection, RegisteredConsumer consumer, List<MessageResult> completed)
            throws SQLException {
        Map<EntryState, List<Long>> settled = new EnumMap<>(EntryState.class);
        Map<Integer, List<Long>> plain = new TreeMap<>();
        List<MessageResult> telling = new ArrayList<>();
        for (MessageResult ending : completed) {
            if (ending.recorded().isReplay()) {
                // How it ended the first time is what duplicates are answered with.
                EntrySnapshot snapshot =
                        Objects.requireNonNull(ending.recorded().main().snapshot());
                settled.computeIfAbsent(snapshot.state(), state -> new ArrayList<>())
                        .add(ending.recorded().main().arrival());
                continue;
            }
            boolean skipped = ending.kind() == MessageResult.Kind.SKIPPED;
            for (RecordedMessage.Hold hold : ending.recorded().holds()) {
                if (hold.snapshot() != null) {
                    settled.computeIfAbsent(hold.snapshot().state(), state -> new ArrayList<>())
                            .add(hold.arrival());
                }
                if (skipped || (hold.snapshot() != null && ending.result() == null)) {
                    // No attempt: it was settled without being run.
                    plain.computeIfAbsent(skipped ? 0 : ending.recorded().attempt(), attempts -> new ArrayList<>())
                            .add(hold.arrival());
                }
            }
            if (ending.result() != null) {
                telling.add(ending);
            }
        }
        for (Map.Entry<EntryState, List<Long>> each : settled.entrySet()) {
            settleEntries(connection, consumer, each.getKey(), each.getValue());
        }
        for (Map.Entry<Integer, List<Long>> each : plain.entrySet()) {
            insertOutcomes(connection, each.getKey(), each.getValue());
        }
        insertOutcomes(connection, telling);
    }

    private void settleEntries(
            Connection connection, RegisteredConsumer consumer, EntryState state, List<Long> arrivals)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.SETTLE_ENTRIES)) {
            statement.setInt(1, consumer.number());
            statement.setString(2, state.name());
            Sql.bindNumbers(statement, 3, arrivals);
            checkStillOurs(statement.executeUpdate(), arrivals.size());
        }
    }

    private void insertOutcomes(Connection connection, int attempts, List<Long> arrivals) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.INSERT_OUTCOMES)) {
            sql.bindNow(statement, 1);
            statement.setInt(2, attempts);
            Sql.bindNumbers(statement, 3, arrivals);
            statement.executeUpdate();
        }
    }

    private void insertOutcomes(Connection connection, List<MessageResult> telling) throws SQLException {
        if (telling.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.INSERT_OUTCOME)) {
            for (MessageResult ending : telling) {
                Payload result = Objects.requireNonNull(ending.result());
                for (RecordedMessage.Hold hold : ending.recorded().holds()) {
                    statement.setLong(1, hold.arrival());
                    sql.bindNow(statement, 2);
                    statement.setInt(3, ending.recorded().attempt());
                    statement.setBytes(4, result.bytes());
                    statement.setString(5, ColumnLimits.text(result.contentType(), 200));
                    statement.addBatch();
                }
            }
            statement.executeBatch();
        }
    }

    /** As if it had never been delivered: marks of ours are taken back, an entry that was there stays as it is. */
    private void release(Connection connection, RegisteredConsumer consumer, List<RecordedMessage.Hold> holds)
            throws SQLException {
        for (RecordedMessage.Hold hold : holds) {
            if (hold.isNew()) {
                unrecord(connection, consumer, hold);
            }
        }
    }

    /** What is new was born with its entry. What redelivery owned so far is the inbox's from now on. */
    private void adopt(Connection connection, RegisteredConsumer consumer, RecordedMessage recorded)
            throws SQLException {
        RecordedMessage.Hold main = recorded.main();
        if (!main.isNew() && main.snapshot() != null) {
            bodyWriter.keep(connection, consumer, main, recorded.incoming().message());
            try (PreparedStatement statement = sql.prepare(connection, SettleStatement.ADOPT_ENTRY)) {
                sql.bindNow(statement, 1);
                statement.setInt(2, consumer.number());
                statement.setString(3, main.snapshot().state().name());
                statement.setLong(4, main.arrival());
                checkStillOurs(statement.executeUpdate(), 1);
            }
        }
        leaveToMain(connection, consumer, recorded);
    }

    /** It goes on under one of its ids; the mark of the other one stays, and says that there is nothing to do. */
    private void leaveToMain(Connection connection, RegisteredConsumer consumer, RecordedMessage recorded)
            throws SQLException {
        for (RecordedMessage.Hold other :
                recorded.holds().subList(1, recorded.holds().size())) {
            if (other.snapshot() == null) {
                continue;
            }
            settleEntries(connection, consumer, other.snapshot().state(), List.of(other.arrival()));
            if (!other.isNew()) {
                insertOutcomes(connection, other.snapshot().nextAttempt() - 1, List.of(other.arrival()));
            }
        }
    }

    private void fail(Connection connection, RegisteredConsumer consumer, MessageResult ending) throws SQLException {
        RecordedMessage recorded = ending.recorded();
        FailureOutcome outcome = Objects.requireNonNull(ending.outcome());
        boolean acknowledged = outcome.isFinal() || recorded.ownedBy(consumer.policy()) == RetryBy.INBOX;
        if (acknowledged && !outcome.isUnreadable()) {
            // Also with full recording: the policy may have changed since the message was first seen.
            bodyWriter.keep(
                    connection, consumer, recorded.main(), recorded.incoming().message());
        }
        if (recorded.main().snapshot() == null) {
            insertEntry(
                    connection,
                    consumer,
                    recorded.main(),
                    new Birth(
                            outcome,
                            recorded.failures() + 1,
                            acknowledged ? RetryBy.INBOX : RetryBy.REDELIVERY,
                            recorded.key(),
                            recorded.incoming().sequenceNumber(),
                            null));
        } else {
            failClaimed(connection, consumer, recorded, outcome);
        }
        if (acknowledged) {
            // Crash here, before the broker is told: nodes with either identity strategy find a mark.
            leaveToMain(connection, consumer, recorded);
        } else {
            // Nodes that still use the older identity strategy must not take it for done.
            release(
                    connection,
                    consumer,
                    recorded.holds().subList(1, recorded.holds().size()));
        }
        insertAttempt(connection, ending, outcome);
    }

    /**
     * An entry for a mark of this transaction.
     *
     * @param owner what retries it: the inbox for an acknowledged message
     * @param key the number of its key; null where no order is kept
     * @param sequenceNumber its place in the sequence of its key; null where none is guarded
     * @param original of a conflict: the arrival of the message that came first
     */
    record Birth(
            FailureOutcome outcome,
            int failures,
            RetryBy owner,
            @Nullable Long key,
            @Nullable Long sequenceNumber,
            @Nullable Long original) {}

    void insertEntry(Connection connection, RegisteredConsumer consumer, RecordedMessage.Hold hold, Birth birth)
            throws SQLException {
        FailureOutcome outcome = birth.outcome();
        RetryBy owner = birth.owner();
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.INSERT_ENTRY)) {
            statement.setLong(1, hold.arrival());
            statement.setInt(2, consumer.number());
            statement.setInt(3, birth.failures());
            statement.setString(4, outcome.state().name());
            statement.setString(5, owner.name());
            statement.setObject(6, birth.key(), Types.BIGINT);
            statement.setObject(7, birth.key() == null ? null : birth.sequenceNumber(), Types.BIGINT);
            statement.setObject(8, birth.original(), Types.BIGINT);
            statement.setInt(9, names.source(hold.id().source()));
            statement.setBytes(10, IdBytes.of(hold.id().id()));
            statement.setString(11, outcome.reason());
            bindGrouped(statement, 12, outcome.failure());
            bindDue(statement, 17, owner, outcome);
            sql.bindNow(statement, 19);
            statement.executeUpdate();
        }
    }

    /** Only what the inbox brings again by itself has a time for it. */
    private void bindDue(PreparedStatement statement, int index, RetryBy owner, FailureOutcome outcome)
            throws SQLException {
        Duration pause = owner == RetryBy.INBOX ? outcome.retryAfter() : null;
        statement.setObject(index, pause == null ? null : pause.toNanos() / 1_000, Types.BIGINT);
        sql.bindNow(statement, index + 1);
    }

    /** Parks whatever is there of a message, whoever had it: its transaction was torn. */
    void park(
            Connection connection,
            RegisteredConsumer consumer,
            IncomingMessage incoming,
            RecordedMessage.Hold hold,
            FailureOutcome parked,
            @Nullable Long key)
            throws SQLException {
        bodyWriter.keep(connection, consumer, hold, incoming.message());
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.PARK_ENTRY)) {
            statement.setString(1, parked.reason());
            bindGrouped(statement, 2, parked.failure());
            sql.bindNow(statement, 7);
            statement.setInt(8, consumer.number());
            statement.setLong(9, hold.arrival());
            if (statement.executeUpdate() == 0) {
                insertEntry(
                        connection,
                        consumer,
                        hold,
                        new Birth(parked, 1, RetryBy.INBOX, key, incoming.sequenceNumber(), null));
            }
        }
    }

    private void failClaimed(
            Connection connection, RegisteredConsumer consumer, RecordedMessage recorded, FailureOutcome outcome)
            throws SQLException {
        EntrySnapshot snapshot = Objects.requireNonNull(recorded.main().snapshot());
        RetryBy owner = outcome.isFinal() ? RetryBy.INBOX : recorded.ownedBy(consumer.policy());
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.FAIL_ENTRY)) {
            statement.setString(1, outcome.state().name());
            statement.setString(2, owner.name());
            statement.setString(3, outcome.reason());
            statement.setInt(4, recorded.failures() + 1);
            bindGrouped(statement, 5, outcome.failure());
            bindDue(statement, 10, owner, outcome);
            sql.bindNow(statement, 12);
            statement.setInt(13, consumer.number());
            statement.setString(14, snapshot.state().name());
            statement.setLong(15, recorded.main().arrival());
            checkStillOurs(statement.executeUpdate(), 1);
        }
    }

    static void checkStillOurs(int rows, int expected) {
        if (rows != expected) {
            throw new TransactionFailed(
                    TransactionFailed.Kind.FENCED, new IllegalStateException(rows + " rows instead of " + expected));
        }
    }

    private void insertAttempt(Connection connection, MessageResult ending, FailureOutcome outcome)
            throws SQLException {
        RecordedMessage recorded = ending.recorded();
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.INSERT_ATTEMPT)) {
            statement.setLong(1, recorded.main().arrival());
            statement.setInt(2, recorded.attempt());
            statement.setString(3, sql.settings().node());
            statement.setLong(4, sql.settings().since(ending.startedAt()).toNanos() / 1_000);
            sql.bindNow(statement, 5);
            sql.bindNow(statement, 6);
            statement.setString(7, outcome.state().name());
            bindFailure(statement, 8, outcome.failure());
            statement.setString(12, outcome.failure().stackTrace());
            statement.setString(13, traceOf(recorded.incoming()));
            statement.executeUpdate();
        }
    }

    private static @Nullable String traceOf(IncomingMessage incoming) {
        return incoming.message()
                .headers()
                .text(TRACE_PARENT)
                .map(TRACE_ID::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .orElse(null);
    }

    /** With the group it belongs to, so that people find those together that have one cause. */
    private static void bindGrouped(PreparedStatement statement, int first, Failure failure) throws SQLException {
        bindFailure(statement, first, failure);
        statement.setObject(first + 4, FailureFingerprint.of(failure));
    }

    private static void bindFailure(PreparedStatement statement, int first, Failure failure) throws SQLException {
        statement.setString(first, failure.kind().name());
        statement.setString(first + 1, ColumnLimits.text(failure.errorClass(), 500));
        statement.setString(first + 2, ColumnLimits.text(failure.sqlState(), 10));
        statement.setString(first + 3, ColumnLimits.text(failure.message(), 10_000));
    }

    /** Takes a mark of this very transaction back: nobody has seen it. */
    private void unrecord(Connection connection, RegisteredConsumer consumer, RecordedMessage.Hold hold)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.UNRECORD_MARK)) {
            statement.setInt(1, consumer.number());
            statement.setInt(2, names.source(hold.id().source()));
            statement.setBytes(3, IdBytes.of(hold.id().id()));
            statement.setLong(4, hold.arrival());
            statement.executeUpdate();
        }
        try (PreparedStatement statement = sql.prepare(connection, SettleStatement.UNRECORD_BODY)) {
            statement.setLong(1, hold.arrival());
            statement.executeUpdate();
        }
        if (hold.snapshot() != null) {
            settleEntries(connection, consumer, hold.snapshot().state(), List.of(hold.arrival()));
        }
    }
}
