// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A command for many messages, step by step: it is kept in the database, so it survives whoever began it.
 *
 * @param operation who planned it and why; its id is the campaign's
 * @param note why it stands still; null when it does not, or nobody knows more
 */
public record Campaign(
        Command command,
        String consumer,
        Operation operation,
        CampaignOptions options,
        State state,
        Progress progress,
        Instant plannedAt,
        Instant changedAt,
        @Nullable String note) {

    /** Where it stands. */
    public enum State {
        /** Nothing has been changed yet. */
        PLANNED,
        RUNNING,
        /** Too many failed. It goes on when somebody says so. */
        STOPPED,
        /** Somebody gave it up. What was done stays done; it goes on when somebody says so. */
        CANCELLED,
        DONE
    }

    /**
     * How far it has come.
     *
     * @param total how many messages were chosen when it was planned
     * @param given how many of them the command was given for so far
     * @param done how many of those were changed
     * @param refused how many were left alone, because they had changed since, or for another reason
     * @param failed how many of those that were tried again did not end well, among the {@link #LATEST}
     * @param open how many of those that were tried again have not ended yet, among the {@link #LATEST}
     */
    public record Progress(int total, int given, int done, int refused, int failed, int open) {

        /** So many messages are looked at to tell how it goes: the latest ones that were tried again. */
        public static final int LATEST = 1_000;
    }

    public String id() {
        return operation.id();
    }

    /** Whether it goes no further unless somebody says so. */
    public boolean isOver() {
        return state != State.RUNNING;
    }

    public Optional<String> noteIfAny() {
        return Optional.ofNullable(note);
    }
}
