// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.EventType;
import io.idembox.Failure;
import io.idembox.admin.Attempt;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.OperationRecord;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts messages to output fields. Never includes the payload. Pure. */
public final class MessageFields {

    private static final int ERROR_SHOWN = 60;

    /** Columns of the text format. */
    public static final List<Column> COLUMNS = List.of(
            Column.of("consumer"),
            Column.of("source"),
            Column.of("id"),
            Column.of("status"),
            Column.of("reason"),
            Column.of("attempts"),
            Column.of("receivedAt").titled("RECEIVED"),
            Column.of("error.message").titled("ERROR").atMost(ERROR_SHOWN));

    private MessageFields() {}

    /** All fields of a listed message. */
    public static Fields of(InboxMessage message) {
        return known(message).and("error", error(message.failure())).and("group", message.group());
    }

    /** All fields, with the stack trace, attempts and operations. */
    public static Fields of(InboxMessage message, List<Attempt> attempts, List<OperationRecord> operations) {
        Failure failure = message.failure();
        Fields error = error(failure);
        return known(message)
                .and("error", error == null || failure == null ? null : error.and("stackTrace", failure.stackTrace()))
                .and("group", message.group())
                .and("history", attempts.stream().map(MessageFields::attempt).toList())
                .and(
                        "operations",
                        operations.stream().map(MessageFields::operation).toList());
    }

    /** Identity, status and error class. */
    public static Fields brief(InboxMessage message) {
        return Fields.of("consumer", message.consumer())
                .and("source", message.id().source())
                .and("id", message.id().id())
                .and("status", message.status())
                .and("reason", message.progress().reason())
                .and("attempts", message.counters().attempts())
                .and("received", message.times().receivedAt())
                .and(
                        "error",
                        message.failure() == null ? null : message.failure().errorClass());
    }

    private static Fields known(InboxMessage message) {
        InboxMessage.Progress progress = message.progress();
        InboxMessage.Holder holder = progress.holder();
        InboxMessage.Content content = message.content();
        EventType type = content.type();
        return Fields.of("consumer", message.consumer())
                .and("source", message.id().source())
                .and("id", message.id().id())
                .and("arrival", message.arrival())
                .and("status", message.status())
                .and("reason", progress.reason())
                .and("owner", progress.owner())
                .and("dueAt", progress.dueAt())
                .and(
                        "holder",
                        holder == null ? null : Fields.of("node", holder.node()).and("until", holder.until()))
                .and("attempts", message.counters().attempts())
                .and("failures", message.counters().failures())
                .and("crashes", message.counters().crashes())
                .and("releases", message.counters().releases())
                .and("receivedAt", message.times().receivedAt())
                .and("changedAt", message.times().changedAt())
                .and("settledAt", message.times().settledAt())
                .and("type", type == null ? null : type.name())
                .and("typeVersion", type == null ? null : type.version())
                .and("key", content.key())
                .and("payloadBytes", content.payloadBytes())
                .and("contentType", content.contentType())
                .and("kept", content.kept())
                .and("original", content.original());
    }

    private static @Nullable Fields error(@Nullable Failure failure) {
        return failure == null
                ? null
                : Fields.of("kind", failure.kind())
                        .and("class", failure.errorClass())
                        .and("sqlState", failure.sqlState())
                        .and("message", failure.message());
    }

    private static Fields attempt(Attempt attempt) {
        return Fields.of("number", attempt.number())
                .and("node", attempt.node())
                .and("startedAt", attempt.startedAt())
                .and("endedAt", attempt.endedAt())
                .and("outcome", attempt.outcome())
                .and("traceId", attempt.traceId())
                .and("class", attempt.failure().errorClass())
                .and("message", attempt.failure().message());
    }

    private static Fields operation(OperationRecord past) {
        return Fields.of("command", past.command())
                .and("operation", past.operation().id())
                .and("by", past.operation().by())
                .and("reason", past.operation().reason())
                .and("at", past.at())
                .and("verdict", past.result());
    }
}
