// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Failure;
import io.idembox.Payload;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.Candidate;
import io.idembox.internal.engine.Claim;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Ending;
import io.idembox.internal.engine.Found;
import io.idembox.internal.engine.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes how messages ended. A completed first try without a result needs nothing: its ledger row says it all. What we
 * hold a claim on is changed only with the claim's token, and the row count is checked. Thread-safe.
 */
final class Settlement {

    private static final String TRACE_PARENT = "traceparent";
    private static final Pattern TRACE_ID = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    private final Sql sql;
    private final Names names;
    private final Bodies bodies;

    Settlement(Sql sql, Names names, Bodies bodies) {
        this.sql = sql;
        this.names = names;
        this.bodies = bodies;
    }

    void write(Connection connection, Consumer consumer, List<Ending> endings) throws SQLException {
        completeAll(
                connection, endings.stream().filter(Settlement::needsOutcome).toList());
        for (Ending ending : endings) {
            switch (ending.kind()) {
                case COMPLETED -> {
                    // A second mark stays: nodes with the older identity strategy have to see a duplicate.
                }
                case HELD -> {
                    for (Found.Hold hold : ending.found().holds()) {
                        release(connection, consumer, ending.found(), hold);
                    }
                }
                case FAILED -> fail(connection, consumer, ending);
            }
        }
    }

    private static boolean needsOutcome(Ending ending) {
        return ending.kind() == Ending.Kind.COMPLETED
                && (ending.result() != null || ending.found().holds().stream().anyMatch(hold -> hold.claim() != null));
    }

    private void completeAll(Connection connection, List<Ending> completed) throws SQLException {
        if (completed.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = sql.prepare(connection, Statement.INSERT_OUTCOME)) {
            for (Ending ending : completed) {
                for (Found.Hold hold : ending.found().holds()) {
                    if (hold.claim() != null) {
                        changeClaimed(connection, Statement.SETTLE_ENTRY, ending.found(), hold);
                    }
                    bindOutcome(statement, ending, hold);
                    statement.addBatch();
                }
            }
            statement.executeBatch();
        }
    }

    private void bindOutcome(PreparedStatement statement, Ending ending, Found.Hold hold) throws SQLException {
        Payload result = ending.result();
        statement.setLong(1, hold.arrival());
        statement.setObject(2, ending.found().candidate().variant());
        sql.bindNow(statement, 3);
        statement.setInt(4, ending.found().attempt());
        statement.setBytes(5, result == null ? null : result.bytes());
        statement.setString(6, result == null ? null : Storable.text(result.contentType(), 200));
    }

    /** As if it had never been delivered. */
    private void release(Connection connection, Consumer consumer, Found found, Found.Hold hold) throws SQLException {
        if (hold.claim() != null) {
            changeClaimed(connection, Statement.RELEASE_ENTRY, found, hold);
        } else {
            unrecord(connection, consumer, found.candidate(), hold);
        }
    }

    private void fail(Connection connection, Consumer consumer, Ending ending) throws SQLException {
        Found found = ending.found();
        Outcome outcome = Objects.requireNonNull(ending.outcome());
        if (found.main().claim() == null) {
            insertEntry(connection, consumer, found.candidate(), found.main(), outcome, found.failures() + 1);
        } else {
            failClaimed(connection, found, outcome);
        }
        for (Found.Hold second : found.holds().subList(1, found.holds().size())) {
            // Nodes that still use the older identity strategy must not take it for done.
            release(connection, consumer, found, second);
        }
        insertAttempt(connection, ending, outcome);
        if (outcome.isFinal()) {
            // Also with full recording: the policy may have changed since the message was first seen.
            keepBody(connection, found);
        }
    }

    private void keepBody(Connection connection, Found found) throws SQLException {
        Candidate candidate = found.candidate();
        bodies.keep(connection, found.main().arrival(), candidate.variant(), candidate.id(), candidate.message());
    }

    void insertEntry(
            Connection connection,
            Consumer consumer,
            Candidate candidate,
            Found.Hold hold,
            Outcome outcome,
            int failures)
            throws SQLException {
        Failure failure = outcome.failure();
        try (PreparedStatement statement = sql.prepare(connection, Statement.INSERT_ENTRY)) {
            statement.setLong(1, hold.arrival());
            statement.setObject(2, candidate.variant());
            statement.setInt(3, consumer.number());
            statement.setInt(4, names.source(hold.id().source()));
            statement.setBytes(5, IdBytes.of(hold.id().id()));
            statement.setString(6, outcome.state().name());
            statement.setString(7, consumer.policy().retry().by().name());
            statement.setString(8, outcome.reason());
            statement.setInt(9, failures);
            bindFailure(statement, 10, failure);
            sql.bindNow(statement, 14);
            statement.executeUpdate();
        }
    }

    /** Parks whatever is there of a message, whoever had it: its transaction was torn. */
    void park(Connection connection, Consumer consumer, Candidate candidate, Found.Hold hold, Outcome parked)
            throws SQLException {
        bodies.keep(connection, hold.arrival(), candidate.variant(), hold.id(), candidate.message());
        try (PreparedStatement statement = sql.prepare(connection, Statement.PARK_ENTRY)) {
            statement.setString(1, parked.reason());
            bindFailure(statement, 2, parked.failure());
            sql.bindNow(statement, 6);
            statement.setLong(7, hold.arrival());
            statement.setObject(8, candidate.variant());
            if (statement.executeUpdate() == 0) {
                insertEntry(connection, consumer, candidate, hold, parked, 1);
            }
        }
    }

    private void failClaimed(Connection connection, Found found, Outcome outcome) throws SQLException {
        Claim claim = Objects.requireNonNull(found.main().claim());
        try (PreparedStatement statement = sql.prepare(connection, Statement.FAIL_ENTRY)) {
            statement.setString(1, outcome.state().name());
            statement.setString(2, outcome.reason());
            statement.setInt(3, found.failures() + 1);
            bindFailure(statement, 4, outcome.failure());
            sql.bindNow(statement, 8);
            statement.setLong(9, found.main().arrival());
            statement.setObject(10, found.candidate().variant());
            statement.setObject(11, claim.token());
            checkStillOurs(statement.executeUpdate(), found);
        }
    }

    private void changeClaimed(Connection connection, Statement change, Found found, Found.Hold hold)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, change)) {
            statement.setLong(1, hold.arrival());
            statement.setObject(2, found.candidate().variant());
            statement.setObject(3, Objects.requireNonNull(hold.claim()).token());
            checkStillOurs(statement.executeUpdate(), found);
        }
    }

    private static void checkStillOurs(int rows, Found found) {
        if (rows != 1) {
            throw new StoreUnavailableException(
                    "The entry of " + found.candidate().id() + " is not ours any more. The work on it is rolled back;"
                            + " whoever has it goes on.",
                    new IllegalStateException(rows + " rows instead of 1"));
        }
    }

    private void insertAttempt(Connection connection, Ending ending, Outcome outcome) throws SQLException {
        Found found = ending.found();
        try (PreparedStatement statement = sql.prepare(connection, Statement.INSERT_ATTEMPT)) {
            statement.setLong(1, found.main().arrival());
            statement.setObject(2, found.candidate().variant());
            statement.setInt(3, found.attempt());
            statement.setString(4, sql.settings().node());
            Time.bind(statement, 5, ending.startedAt());
            sql.bindNow(statement, 6);
            statement.setString(7, outcome.state().name());
            bindFailure(statement, 8, outcome.failure());
            statement.setString(12, outcome.failure().stackTrace());
            statement.setString(13, traceOf(found.candidate()));
            statement.executeUpdate();
        }
    }

    private static @Nullable String traceOf(Candidate candidate) {
        return candidate
                .message()
                .headers()
                .text(TRACE_PARENT)
                .map(TRACE_ID::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .orElse(null);
    }

    private static void bindFailure(PreparedStatement statement, int first, Failure failure) throws SQLException {
        statement.setString(first, failure.kind().name());
        statement.setString(first + 1, Storable.text(failure.errorClass(), 500));
        statement.setString(first + 2, Storable.text(failure.sqlState(), 10));
        statement.setString(first + 3, Storable.text(failure.message(), 10_000));
    }

    /** Takes a mark of this very transaction back: nobody has seen it. */
    private void unrecord(Connection connection, Consumer consumer, Candidate candidate, Found.Hold hold)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, Statement.UNRECORD_MARK)) {
            statement.setInt(1, consumer.number());
            statement.setInt(2, names.source(hold.id().source()));
            statement.setBytes(3, IdBytes.of(hold.id().id()));
            statement.setLong(4, hold.arrival());
            statement.executeUpdate();
        }
        try (PreparedStatement statement = sql.prepare(connection, Statement.UNRECORD_BODY)) {
            statement.setLong(1, hold.arrival());
            statement.setObject(2, candidate.variant());
            statement.executeUpdate();
        }
    }
}
