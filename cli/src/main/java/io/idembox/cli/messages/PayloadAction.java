// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.messages;

import io.idembox.Headers;
import io.idembox.MessageId;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.admin.StoredPayload;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.RetryingCall;
import io.idembox.cli.output.Fields;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Shows the payload of one message. The audit trail records the operator and the reason. */
final class PayloadAction {

    private static final int TRIES = 3;

    private final Invocation invocation;

    PayloadAction(Invocation invocation) {
        this.invocation = invocation;
    }

    int print(String consumer, MessageId id, @Nullable Integer revision, boolean raw) {
        if (raw && invocation.environment().terminals().out()) {
            throw CommandException.usage(
                    "--raw cannot write to a terminal, which might execute control sequences. Use a file or pipe.");
        }
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            StoredPayload read = RetryingCall.on(
                            TRIES, decision, () -> read(adminSession.admin(), consumer, id, revision, decision))
                    .orElseThrow(() -> CommandException.refused("There is no payload of " + id + " for consumer "
                            + consumer + ": it was never received, was purged, or its body was not stored"
                            + (revision == null ? "." : " in that revision.")));
            if (raw) {
                printRaw(read);
            } else {
                invocation.printer().printOne(fields(consumer, id, read).and("operation", decision.id()));
            }
        }
        return ExitCode.DONE;
    }

    private static Optional<StoredPayload> read(
            InboxAdmin admin, String consumer, MessageId id, @Nullable Integer revision, Operation decision) {
        return revision == null
                ? admin.payload(consumer, id, decision)
                : admin.payload(consumer, id, revision, decision);
    }

    private void printRaw(StoredPayload read) {
        String text = text(read.payload().bytes())
                .orElseThrow(() ->
                        CommandException.refused("The payload is not text. Without --raw it is shown in base64."));
        invocation.environment().out().print(text);
        invocation.environment().out().flush();
    }

    private static Fields fields(String consumer, MessageId id, StoredPayload read) {
        boolean tombstone = read.payload().isTombstone();
        Optional<String> text =
                tombstone ? Optional.empty() : text(read.payload().bytes());
        return Fields.of("consumer", consumer)
                .and("source", id.source())
                .and("id", id.id())
                .and("revision", read.revision())
                .and("type", read.type().name())
                .and("typeVersion", read.type().version())
                .and("tombstone", tombstone)
                .and("contentType", tombstone ? null : read.payload().contentType())
                .and("bytes", tombstone ? null : read.payload().size())
                .and(
                        "headers",
                        read.headers().all().stream().map(PayloadAction::fields).toList())
                .and("payload", text.orElse(null))
                .and(
                        "base64",
                        tombstone || text.isPresent()
                                ? null
                                : base64(read.payload().bytes()));
    }

    /** Output fields of one header. A name may occur more than once. */
    private static Fields fields(Headers.Header header) {
        Optional<String> text = text(header.value());
        return Fields.of("name", header.name())
                .and("value", text.orElse(null))
                .and("base64", text.isPresent() ? null : base64(header.value()));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static Optional<String> text(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException binary) {
            return Optional.empty();
        }
    }
}
