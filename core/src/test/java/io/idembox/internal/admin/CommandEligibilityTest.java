// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.internal.engine.EntryState;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who may be changed by a command, and why not. */
class CommandEligibilityTest {

    private static final MessageVersion SEEN = new MessageVersion(7, "v1");

    private static CommandEligibility rulings(Command command) {
        return new CommandEligibility(command, true, Set.of(), Map.of(), Set.of());
    }

    private static LockedEntry row(EntryState state) {
        return new LockedEntry(7, state, "v1", null, null, 0, true, false, false);
    }

    private static LockedEntry keyed(EntryState state) {
        return new LockedEntry(7, state, "v1", 3L, null, 0, true, false, false);
    }

    @Test
    void eachCommandIsForSomeStates() {
        Map<Command, Set<EntryState>> allowed = new EnumMap<>(Command.class);
        for (Command command : Command.values()) {
            Set<EntryState> states = EnumSet.noneOf(EntryState.class);
            Arrays.stream(EntryState.values())
                    .filter(state -> rulings(command).resultFor(SEEN, row(state)) == CommandResult.DONE)
                    .forEach(states::add);
            allowed.put(command, states);
        }

        assertThat(allowed)
                .containsEntry(
                        Command.REDRIVE,
                        EnumSet.of(EntryState.FAILED_RETRYABLE, EntryState.FAILED_TERMINAL, EntryState.PARKED))
                .containsEntry(
                        Command.PARK,
                        EnumSet.of(
                                EntryState.RECEIVED,
                                EntryState.WAITING,
                                EntryState.FAILED_RETRYABLE,
                                EntryState.FAILED_TERMINAL))
                .containsEntry(Command.DISCARD, EnumSet.complementOf(EnumSet.of(EntryState.DISCARDED)))
                .containsEntry(Command.RESTORE, EnumSet.of(EntryState.DISCARDED));
        assertThat(rulings(Command.RESTORE).resultFor(SEEN, row(EntryState.PARKED)))
                .isEqualTo(CommandResult.NOT_APPLICABLE);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.INCLUDE,
            names = {"REDRIVE", "PARK", "DISCARD", "RESTORE"})
    void whatChangedIsWorkedOnOrGoneIsLeftAlone(Command command) {
        CommandEligibility commandEligibility = new CommandEligibility(command, true, Set.of(), Map.of(), Set.of(7L));
        EntryState state = command == Command.RESTORE ? EntryState.DISCARDED : EntryState.FAILED_RETRYABLE;

        assertThat(commandEligibility.resultFor(SEEN, row(state))).isEqualTo(CommandResult.DONE);
        assertThat(commandEligibility.resultFor(
                        SEEN, new LockedEntry(7, state, "v2", null, null, 0, true, false, false)))
                .isEqualTo(CommandResult.CHANGED);
        assertThat(commandEligibility.resultFor(
                        SEEN, new LockedEntry(7, state, "v1", null, null, 0, true, true, false)))
                .isEqualTo(CommandResult.IN_PROGRESS);
        assertThat(commandEligibility.resultFor(SEEN, null))
                .as("somebody holds its row")
                .isEqualTo(CommandResult.IN_PROGRESS);
        assertThat(rulings(command).resultFor(SEEN, null)).isEqualTo(CommandResult.GONE);
    }

    @Test
    void onlyAnEditIsRefusedWhileTheBrokerBringsTheMessageAgain() {
        LockedEntry awaited = new LockedEntry(7, EntryState.FAILED_RETRYABLE, "v1", null, null, 0, true, false, true);
        LockedEntry parked = new LockedEntry(7, EntryState.PARKED, "v1", null, null, 0, true, false, true);

        assertThat(rulings(Command.EDIT).resultFor(SEEN, awaited)).isEqualTo(CommandResult.REDELIVERED);
        assertThat(rulings(Command.EDIT).resultFor(SEEN, parked)).isEqualTo(CommandResult.DONE);
        assertThat(rulings(Command.PARK).resultFor(SEEN, awaited)).isEqualTo(CommandResult.DONE);
        assertThat(rulings(Command.REDRIVE).resultFor(SEEN, awaited)).isEqualTo(CommandResult.DONE);
    }

    @Test
    void withoutABodyItMayOnlyBeDiscarded() {
        LockedEntry bodiless =
                new LockedEntry(7, EntryState.FAILED_RETRYABLE, "v1", null, null, 0, false, false, false);

        assertThat(rulings(Command.REDRIVE).resultFor(SEEN, bodiless)).isEqualTo(CommandResult.NO_BODY);
        assertThat(rulings(Command.PARK).resultFor(SEEN, bodiless)).isEqualTo(CommandResult.NO_BODY);
        assertThat(rulings(Command.DISCARD).resultFor(SEEN, bodiless)).isEqualTo(CommandResult.DONE);
        assertThat(rulings(Command.RESTORE)
                        .resultFor(
                                SEEN,
                                new LockedEntry(7, EntryState.DISCARDED, "v1", null, null, 0, false, false, false)))
                .isEqualTo(CommandResult.NO_BODY);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.INCLUDE,
            names = {"REDRIVE", "PARK", "DISCARD", "RESTORE"})
    void ofAKeyItTakesTheKeyAndThePolicy(Command command) {
        EntryState state = command == Command.RESTORE ? EntryState.DISCARDED : EntryState.FAILED_RETRYABLE;

        assertThat(new CommandEligibility(command, true, Set.of(3L), Map.of(), Set.of()).resultFor(SEEN, keyed(state)))
                .isEqualTo(CommandResult.DONE);
        assertThat(new CommandEligibility(command, true, Set.of(4L), Map.of(), Set.of()).resultFor(SEEN, keyed(state)))
                .isEqualTo(CommandResult.KEY_BUSY);
        assertThat(new CommandEligibility(command, false, Set.of(3L), Map.of(), Set.of()).resultFor(SEEN, keyed(state)))
                .isEqualTo(CommandResult.ORDER_UNKNOWN);
        assertThat(new CommandEligibility(command, false, Set.of(), Map.of(), Set.of()).resultFor(SEEN, row(state)))
                .as("without a key there is no order to know")
                .isEqualTo(CommandResult.DONE);
    }

    @Test
    void whatItsSequenceIsPastIsNotRedriven() {
        LockedEntry second = new LockedEntry(7, EntryState.PARKED, "v1", 3L, 2L, 0, true, false, false);

        assertThat(at(Command.REDRIVE, 1).resultFor(SEEN, second)).isEqualTo(CommandResult.DONE);
        assertThat(at(Command.REDRIVE, 2).resultFor(SEEN, second)).isEqualTo(CommandResult.PASSED);
        assertThat(at(Command.REDRIVE, 2).resultFor(SEEN, keyed(EntryState.PARKED)))
                .as("without a place it runs whatever was reached")
                .isEqualTo(CommandResult.DONE);
        assertThat(at(Command.DISCARD, 2).resultFor(SEEN, second)).isEqualTo(CommandResult.DONE);
    }

    @Test
    void whatItsReplayIsPastIsNotRedrivenHoweverFarOthersHaveCome() {
        LockedEntry second = new LockedEntry(7, EntryState.PARKED, "v1", 3L, 2L, 5, true, false, false);

        assertThat(at(Command.REDRIVE, 2).resultFor(SEEN, second)).isEqualTo(CommandResult.DONE);
        assertThat(new CommandEligibility(
                                Command.REDRIVE,
                                true,
                                Set.of(3L),
                                Map.of(0, Map.of(3L, 1L), 5, Map.of(3L, 2L)),
                                Set.of())
                        .resultFor(SEEN, second))
                .isEqualTo(CommandResult.PASSED);
    }

    private static CommandEligibility at(Command command, long reached) {
        return new CommandEligibility(command, true, Set.of(3L), Map.of(0, Map.of(3L, reached)), Set.of());
    }
}
