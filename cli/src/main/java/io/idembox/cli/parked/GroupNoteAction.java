// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.parked;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.RetryingCall;
import io.idembox.cli.output.Fields;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Sets the note of a failure group. */
final class GroupNoteAction {

    private static final int TRIES = 3;

    private GroupNoteAction() {}

    static int write(Invocation invocation, @Nullable String named, UUID group, String text) {
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            String consumer = named == null ? consumerOf(admin, group) : named;
            RetryingCall.on(TRIES, decision, () -> {
                admin.note(consumer, group, text, decision);
                return true;
            });
            invocation
                    .printer()
                    .printOne(Fields.of("consumer", consumer)
                            .and("group", group)
                            .and("note", text)
                            .and("operation", decision.id()));
        }
        return ExitCode.DONE;
    }

    /** The only consumer that currently has failures of the group. */
    private static String consumerOf(InboxAdmin admin, UUID group) {
        List<String> all = admin.consumers().stream()
                .filter(consumer -> !admin.failureGroups(Filter.of(consumer).group(group), 1)
                        .isEmpty())
                .toList();
        if (all.size() == 1) {
            return all.get(0);
        }
        throw CommandException.refused(
                all.isEmpty()
                        ? "No consumer has failures of group " + group + " now. Select one with --consumer."
                        : "Several consumers have failures of group " + group + ": " + String.join(", ", all)
                                + ". Select one with --consumer.");
    }
}
