// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.consumers;

import io.idembox.admin.Count;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.RetryingCall;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import io.idembox.cli.output.Printer;
import io.idembox.cli.status.ConsumerStatus;
import io.idembox.policy.ConsumerPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code idembox consumers}. */
@Command(
        name = "consumers",
        description = "List, describe, pause and resume consumers.",
        footer = {"", "Example:", "  idembox consumers list"})
public final class ConsumersCommand {

    private static final int COUNT_LIMIT = 10_000;
    private static final int TRIES = 3;

    private final Invocation invocation;

    ConsumersCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "List all known consumers. Names with a slash are internal: outbox/<destination> and"
                    + " <consumer>/<intent>.",
            footer = {"", "Example:", "  idembox consumers list -o json"})
    int list() {
        List<Column> columns = List.of(Column.of("consumer"), Column.of("paused"));
        try (AdminSession adminSession = invocation.open()) {
            Printer.Rows rows = invocation.printer().rows(columns);
            for (String consumer : adminSession.admin().consumers()) {
                rows.add(Fields.of("consumer", consumer)
                        .and("paused", adminSession.admin().paused(consumer).orElse(null)));
            }
            rows.end();
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "describe",
            description = "Show one consumer: backlog, number of messages per status, and who paused it.",
            footer = {"", "Example:", "  idembox consumers describe billing"})
    int describe(@Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer) {
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            if (!admin.consumers().contains(consumer)) {
                throw CommandException.refused(
                        "There is no consumer " + consumer + "; idembox consumers list shows all.");
            }
            Fields fields = ConsumerStatus.of(admin, consumer).fields(invocation.now());
            invocation
                    .printer()
                    .printOne(fields.and("statuses", statuses(admin, consumer))
                            .and(
                                    "policy",
                                    policy(adminSession.policies().consumers().get(consumer))));
        }
        return ExitCode.DONE;
    }

    private static Fields statuses(InboxAdmin admin, String consumer) {
        Fields fields = Fields.none();
        for (Status status : Status.values()) {
            if (status != Status.COMPLETED) {
                Count count = admin.count(Filter.of(consumer).status(status), COUNT_LIMIT);
                fields.and(status.name(), count);
            }
        }
        return fields;
    }

    /** The settings that affect commands; {@code policy show} prints all. */
    private static @Nullable Fields policy(@Nullable ConsumerPolicy policy) {
        return policy == null
                ? null
                : Fields.of("owner", policy.owner())
                        .and("mode", policy.mode())
                        .and("ordering", policy.ordering())
                        .and("maxAttempts", policy.retry().maxAttempts())
                        .and("retryBy", policy.retryBy(true));
    }

    @Command(
            name = "pause",
            description = "Pause a consumer on all nodes until it is resumed. Messages in progress finish normally.",
            footer = {"", "Example:", "  idembox consumers pause billing --reason \"the bank is closed\""})
    int pause(@Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer) {
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            boolean changed =
                    RetryingCall.on(TRIES, decision, () -> adminSession.admin().pause(consumer, decision));
            return report(consumer, "paused", changed, decision);
        }
    }

    @Command(
            name = "resume",
            description = "Resume a paused consumer.",
            footer = {"", "Example:", "  idembox consumers resume billing --reason \"the bank is open again\""})
    int resume(@Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer) {
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            boolean changed =
                    RetryingCall.on(TRIES, decision, () -> adminSession.admin().resume(consumer, decision));
            return report(consumer, "resumed", changed, decision);
        }
    }

    private int report(String consumer, String what, boolean changed, Operation decision) {
        invocation
                .printer()
                .printOne(Fields.of("consumer", consumer)
                        .and(what, true)
                        .and("changed", changed)
                        .and("operation", changed ? decision.id() : null));
        invocation.printMessage(
                changed
                        ? "Consumer " + consumer + " is " + what + "."
                        : "Nothing to do: consumer " + consumer
                                + (what.equals("paused") ? " is already paused." : " is already running."));
        return ExitCode.DONE;
    }
}
