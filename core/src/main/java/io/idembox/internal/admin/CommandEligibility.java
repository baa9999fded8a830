// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.internal.engine.EntryState;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a command may change one message. Pure.
 *
 * @param orderKnown whether this node has the consumer's policy, which decides about order
 * @param lockedKeys keys whose rows are locked
 * @param reached the last sequence number reached by each of these keys, by generation: each replay has its own
 * @param present messages that have an entry, also those that another transaction has locked
 */
record CommandEligibility(
        Command command,
        boolean orderKnown,
        Set<Long> lockedKeys,
        Map<Integer, Map<Long, Long>> reached,
        Set<Long> present) {

    /** @param row null when the entry does not exist, or another transaction has locked it */
    CommandResult resultFor(MessageVersion messageVersion, @Nullable LockedEntry row) {
        if (row == null) {
            return present.contains(messageVersion.arrival()) ? CommandResult.IN_PROGRESS : CommandResult.GONE;
        }
        if (row.leased()) {
            return CommandResult.IN_PROGRESS;
        }
        if (!row.version().equals(messageVersion.version())) {
            return CommandResult.CHANGED;
        }
        if (!isFor(row.state())) {
            return CommandResult.NOT_APPLICABLE;
        }
        if (command != Command.DISCARD && !row.kept()) {
            return CommandResult.NO_BODY;
        }
        // The next attempt of a message that redelivery owns runs the broker's payload, not the newest revision.
        if (command == Command.EDIT && row.redelivered() && row.state() == EntryState.FAILED_RETRYABLE) {
            return CommandResult.REDELIVERED;
        }
        return row.key() == null ? CommandResult.DONE : inOrder(row, row.key());
    }

    private boolean isFor(EntryState state) {
        Set<EntryState> states = switch (command) {
            case REDRIVE -> EnumSet.of(EntryState.FAILED_RETRYABLE, EntryState.FAILED_TERMINAL, EntryState.PARKED);
            case PARK ->
                EnumSet.of(
                        EntryState.RECEIVED,
                        EntryState.WAITING,
                        EntryState.FAILED_RETRYABLE,
                        EntryState.FAILED_TERMINAL);
            case DISCARD -> EnumSet.complementOf(EnumSet.of(EntryState.DISCARDED));
            case RESTORE -> EnumSet.of(EntryState.DISCARDED);
            case EDIT -> EnumSet.of(EntryState.FAILED_RETRYABLE, EntryState.FAILED_TERMINAL, EntryState.PARKED);
            default -> EnumSet.noneOf(EntryState.class);
        };
        return states.contains(state);
    }

    private CommandResult inOrder(LockedEntry row, long key) {
        if (!orderKnown) {
            return CommandResult.ORDER_UNKNOWN;
        }
        if (!lockedKeys.contains(key)) {
            return CommandResult.KEY_BUSY;
        }
        // The sequence cannot advance while this transaction holds the key.
        Long position = reached.getOrDefault(row.generation(), Map.of()).get(key);
        boolean passed = command == Command.REDRIVE && KeyPosition.isPassed(row.sequenceNumber(), position);
        return passed ? CommandResult.PASSED : CommandResult.DONE;
    }
}
