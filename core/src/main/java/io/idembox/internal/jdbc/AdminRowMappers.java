// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.EventType;
import io.idembox.Failure;
import io.idembox.Headers;
import io.idembox.MessageId;
import io.idembox.admin.Attempt;
import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.admin.StoredPayload;
import io.idembox.internal.admin.CommandResultCodec;
import io.idembox.internal.admin.KeyPosition;
import io.idembox.internal.admin.OperationRow;
import io.idembox.internal.admin.RecordedOperation;
import io.idembox.internal.engine.FailureFingerprint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads rows of {@link AdminStatement}. */
final class AdminRowMappers {

    private AdminRowMappers() {}

    static InboxMessage message(ResultSet row, String consumer) throws SQLException {
        return message(row, consumer, RowMappers.messageId(row, row.getString("source")));
    }

    /** For a row that was found by this id: the row may contain only the digest of the id. */
    static InboxMessage message(ResultSet row, String consumer, MessageId id) throws SQLException {
        String state = row.getString("state");
        return new InboxMessage(
                new MessageRef(
                        consumer, id, row.getLong("arrival"), state == null ? Status.COMPLETED.name() : version(row)),
                standing(row, state),
                counters(row, state),
                times(row, state),
                content(row),
                failure(row),
                row.getObject("failure_group", UUID.class));
    }

    /** Its row is that of the message that arrived last, and what is known of the group beside it. */
    static FailureGroup group(ResultSet row, String consumer) throws SQLException {
        InboxMessage sample = message(row, consumer);
        Failure failure = sample.failure();
        String note = row.getString("note");
        return new FailureGroup(
                row.getObject("failure_group", UUID.class),
                failure == null
                        ? String.valueOf(sample.progress().reason())
                        : FailureFingerprint.title(failure.errorClass(), failure.message()),
                row.getLong("members"),
                Timestamps.read(row, "first_at").orElseThrow(),
                Timestamps.read(row, "last_at").orElseThrow(),
                sample,
                note == null
                        ? null
                        : new FailureGroup.Note(
                                note,
                                row.getString("noted_by"),
                                Timestamps.read(row, "noted_at").orElseThrow()));
    }

    /** Changes whenever the entry does: every step sets the state, a counter or the time. */
    static String version(ResultSet row) throws SQLException {
        return row.getString("state") + "/" + row.getString("owner") + "/" + row.getInt("failures") + "."
                + row.getInt("crashes") + "." + row.getInt("releases") + "." + row.getInt("forgiven") + "/"
                + Timestamps.read(row, "changed_at").map(Instant::toString).orElse("-");
    }

    private static InboxMessage.Progress standing(ResultSet row, @Nullable String state) throws SQLException {
        if (state == null) {
            return new InboxMessage.Progress(Status.COMPLETED, null, null, null, null);
        }
        String node = row.getString("node");
        InboxMessage.Holder holder = node == null
                ? null
                : new InboxMessage.Holder(
                        node, Timestamps.read(row, "lease_until").orElseThrow());
        return new InboxMessage.Progress(
                holder == null ? Status.valueOf(state) : Status.IN_PROGRESS,
                row.getString("reason"),
                RowMappers.owner(row),
                Timestamps.read(row, "due_at").orElse(null),
                holder);
    }

    private static InboxMessage.Counters counters(ResultSet row, @Nullable String state) throws SQLException {
        if (state == null) {
            int attempts = row.getInt("settled_attempts");
            return new InboxMessage.Counters(row.wasNull() ? 1 : attempts, 0, 0, 0);
        }
        int failures = row.getInt("failures");
        int crashes = row.getInt("crashes");
        int releases = row.getInt("releases");
        return new InboxMessage.Counters(
                row.getInt("forgiven") + failures + crashes + releases, failures, crashes, releases);
    }

    private static InboxMessage.Times times(ResultSet row, @Nullable String state) throws SQLException {
        // Without a body the time of arrival is not known until the entry is parked.
        Instant received = Timestamps.read(row, "received_at").orElse(Instant.EPOCH);
        return new InboxMessage.Times(
                received,
                Timestamps.read(row, "changed_at").orElse(null),
                state == null ? Timestamps.read(row, "settled_at").orElse(received) : null);
    }

    private static InboxMessage.Content content(ResultSet row) throws SQLException {
        String type = row.getString("event_type");
        int bytes = row.getInt("payload_bytes");
        Integer payloadBytes = row.wasNull() ? null : bytes;
        long first = row.getLong("original");
        Long original = row.wasNull() ? null : first;
        row.getLong("body");
        boolean kept = !row.wasNull();
        return new InboxMessage.Content(
                type == null ? null : new EventType(type, row.getInt("event_version")),
                row.getString("message_key"),
                payloadBytes,
                payloadBytes == null ? null : BodyWriter.contentTypeOf(row),
                kept,
                original);
    }

    private static @Nullable Failure failure(ResultSet row) throws SQLException {
        String kind = row.getString("error_kind");
        return kind == null ? null : failure(row, kind, null);
    }

    private static Failure failure(ResultSet row, String kind, @Nullable String stackTrace) throws SQLException {
        return new Failure(
                Failure.Kind.valueOf(kind),
                row.getString("error_class"),
                row.getString("sql_state"),
                row.getString("error"),
                stackTrace);
    }

    static StoredPayload payload(ResultSet row) throws SQLException {
        byte[] headers = row.getBytes("headers");
        return new StoredPayload(
                row.getInt("revision"),
                new EventType(row.getString("event_type"), row.getInt("event_version")),
                headers == null ? Headers.none() : HeaderBytes.read(headers),
                BodyWriter.payloadIn(row));
    }

    static Attempt attempt(ResultSet row) throws SQLException {
        return new Attempt(
                row.getInt("number"),
                row.getString("node"),
                Timestamps.read(row, "started_at").orElseThrow(),
                Timestamps.read(row, "ended_at").orElseThrow(),
                Status.valueOf(row.getString("outcome")),
                failure(row, row.getString("error_kind"), row.getString("stack_trace")),
                row.getString("trace_id"));
    }

    static RecordedOperation operation(ResultSet row) throws SQLException {
        return new RecordedOperation(
                Command.valueOf(row.getString("kind")),
                row.getInt("consumer_id"),
                new Operation(
                        row.getString("operation_id"),
                        row.getString("by_whom"),
                        row.getString("role"),
                        row.getString("reason"),
                        row.getString("filter")),
                Timestamps.read(row, "given_at").orElseThrow(),
                CommandResultCodec.decode(
                        numbers(row, "arrivals"), row.getString("verdicts"), row.getString("states")));
    }

    /** Where it stands in its key, without whom it waits for. */
    static KeyPosition turn(ResultSet row) throws SQLException {
        String state = row.getString("state");
        KeyPosition.Hold hold = row.getBoolean("held")
                ? new KeyPosition.Hold(
                        row.getString("campaign_id"), state == null ? null : Campaign.State.valueOf(state))
                : null;
        return new KeyPosition(
                RowMappers.numberOrNull(row, "sequence_no"),
                RowMappers.numberOrNull(row, "reached"),
                row.getInt("generation"),
                null,
                hold);
    }

    static OperationRow.Head head(ResultSet row) throws SQLException {
        return new OperationRow.Head(row.getLong("number"), row.getString("seal"));
    }

    static OperationRow.Sealed sheet(ResultSet row) throws SQLException {
        String seal = row.getString("seal");
        return new OperationRow.Sealed(
                new OperationRow(
                        row.getLong("number"),
                        row.getString("seal_key"),
                        row.getString("operation_id"),
                        row.getString("kind"),
                        row.getInt("consumer_id"),
                        row.getString("by_whom"),
                        row.getString("role"),
                        row.getString("reason"),
                        row.getString("filter"),
                        Timestamps.read(row, "given_at").orElseThrow(),
                        row.getInt("asked"),
                        row.getInt("done"),
                        numbers(row, "arrivals"),
                        row.getString("verdicts"),
                        row.getString("states")),
                seal == null ? "" : seal);
    }

    static List<Long> numbers(ResultSet row, String column) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        for (Object each : (Object[]) row.getArray(column).getArray()) {
            numbers.add((Long) each);
        }
        return numbers;
    }
}
