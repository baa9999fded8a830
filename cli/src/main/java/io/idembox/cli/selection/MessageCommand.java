// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.Command;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A command that changes messages, with the statuses it selects by default. */
public enum MessageCommand {
    /** By default, messages with a scheduled retry are not included; {@code --status} or an id includes them. */
    REDRIVE(
            Command.REDRIVE,
            EnumSet.of(Status.PARKED, Status.FAILED_TERMINAL),
            EnumSet.of(Status.PARKED, Status.FAILED_TERMINAL, Status.FAILED_RETRYABLE)) {
        @Override
        Report execute(InboxAdmin admin, List<MessageRef> ref, Operation operation) {
            return admin.redrive(ref, operation);
        }
    },
    DISCARD(
            Command.DISCARD,
            EnumSet.of(Status.PARKED, Status.FAILED_TERMINAL),
            EnumSet.complementOf(EnumSet.of(Status.COMPLETED, Status.DISCARDED))) {
        @Override
        Report execute(InboxAdmin admin, List<MessageRef> ref, Operation operation) {
            return admin.discard(ref, operation);
        }
    },
    PARK(
            Command.PARK,
            EnumSet.of(Status.RECEIVED, Status.WAITING, Status.FAILED_RETRYABLE, Status.FAILED_TERMINAL),
            EnumSet.of(Status.RECEIVED, Status.WAITING, Status.FAILED_RETRYABLE, Status.FAILED_TERMINAL)) {
        @Override
        Report execute(InboxAdmin admin, List<MessageRef> ref, Operation operation) {
            return admin.park(ref, operation);
        }
    },
    RESTORE(Command.RESTORE, EnumSet.of(Status.DISCARDED), EnumSet.of(Status.DISCARDED)) {
        @Override
        Report execute(InboxAdmin admin, List<MessageRef> ref, Operation operation) {
            return admin.restore(ref, operation);
        }
    };

    private final Command command;
    private final Set<Status> byFilter;
    private final Set<Status> byId;

    MessageCommand(Command command, Set<Status> byFilter, Set<Status> byId) {
        this.command = command;
        this.byFilter = Set.copyOf(byFilter);
        this.byId = Set.copyOf(byId);
    }

    abstract Report execute(InboxAdmin admin, List<MessageRef> ref, Operation operation);

    Command command() {
        return command;
    }

    /** The past participle, such as "redriven". */
    String done() {
        return command.done();
    }

    /** The verb for the confirmation question, such as "Redrive". */
    String verb() {
        return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
    }

    /** The default statuses of messages selected by a filter. */
    Set<Status> byFilter() {
        return byFilter;
    }

    /** The default statuses of messages selected by id. */
    Set<Status> byId() {
        return byId;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
