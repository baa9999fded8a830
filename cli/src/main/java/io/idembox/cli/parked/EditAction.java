// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.parked;

import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.admin.CommandResult;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.FileErrorText;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.RetryingCall;
import io.idembox.cli.output.Fields;
import io.idembox.policy.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Replaces the payload of one message for its next attempt. */
final class EditAction {

    private static final int TRIES = 3;

    private final Invocation invocation;

    EditAction(Invocation invocation) {
        this.invocation = invocation;
    }

    int run(String consumer, MessageId id, Path file, @Nullable String contentType) {
        Operation decision = invocation.newOperation();
        byte[] bytes = read(file);
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            InboxMessage message = admin.find(consumer, id)
                    .orElseThrow(() -> CommandException.refused(
                            "Consumer " + consumer + " has not received " + id + ", or it was purged."));
            Payload payload = Payload.of(bytes, contentType == null ? contentTypeOf(message) : contentType);
            if (!invocation.confirm("Replace the payload of " + id + " of " + consumer + " ("
                    + Objects.requireNonNullElse(message.content().payloadBytes(), "no") + " bytes) with " + payload
                    + "?")) {
                invocation.printMessage("Nothing was done.");
                return ExitCode.REFUSED;
            }
            // Crash here: repeating the command creates another revision with the same bytes.
            return report(
                    message,
                    payload,
                    RetryingCall.on(TRIES, decision, () -> admin.edit(message.ref(), payload, decision)));
        }
    }

    private static String contentTypeOf(InboxMessage message) {
        return Objects.requireNonNullElse(message.content().contentType(), Payload.BINARY);
    }

    private static byte[] read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(Limits.HARD_PAYLOAD_BYTES + 1);
            if (bytes.length > Limits.HARD_PAYLOAD_BYTES) {
                throw CommandException.usage(
                        file + " is too large: a payload has at most " + Limits.HARD_PAYLOAD_BYTES + " bytes.");
            }
            return bytes;
        } catch (IOException unreadable) {
            throw CommandException.unavailable(
                    "The payload cannot be read: " + FileErrorText.reason(unreadable), unreadable);
        }
    }

    private int report(InboxMessage message, Payload payload, Report report) {
        CommandResult result = report.lines().get(0).result();
        boolean done = result == CommandResult.DONE;
        invocation
                .printer()
                .printOne(Fields.of("consumer", message.consumer())
                        .and("source", message.id().source())
                        .and("id", message.id().id())
                        .and("done", done)
                        .and("verdict", result)
                        .and("bytes", payload.size())
                        .and("contentType", payload.contentType())
                        .and("operation", report.operation().id()));
        invocation.printMessage(
                done
                        ? "The next attempt uses the new payload; to run it, redrive it. The original is kept as revision 0."
                        : "Nothing was changed: " + result.description() + ".");
        if (result == CommandResult.ORDER_UNKNOWN) {
            invocation.printMessage(
                    "Ordered consumers accept commands only when their policy is known: pass the file with --policies.");
        }
        return done ? ExitCode.DONE : ExitCode.REFUSED;
    }
}
