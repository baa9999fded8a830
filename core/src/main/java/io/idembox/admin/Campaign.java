// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One operator command over many messages, executed in steps. It is stored in the database and outlives the process
 * that started it.
 *
 * @param operation the operator who planned it and the reason; its id is the campaign's id
 * @param note why it was stopped or cancelled; null otherwise, or when no details are known
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

    /** The state of a campaign. */
    public enum State {
        /** No message has been changed yet. */
        PLANNED,
        RUNNING,
        /** Too many messages failed. It continues when an operator starts it again. */
        STOPPED,
        /** An operator cancelled it. Completed steps are kept; it continues when an operator starts it again. */
        CANCELLED,
        DONE
    }

    /**
     * The progress of a campaign.
     *
     * @param total how many messages were selected when it was planned
     * @param given how many of them the command was executed for so far
     * @param done how many of those were changed
     * @param refused how many were left unchanged, because they had changed since the plan or for another reason
     * @param failed how many of the {@link #LATEST} messages that were tried again failed
     * @param open how many of the {@link #LATEST} messages that were tried again are not finished yet
     */
    public record Progress(int total, int given, int done, int refused, int failed, int open) {

        /** How many messages {@code failed} and {@code open} cover: the latest ones that were tried again. */
        public static final int LATEST = 1_000;
    }

    public String id() {
        return operation.id();
    }

    /** Whether it makes no further progress unless an operator starts it. */
    public boolean isOver() {
        return state != State.RUNNING;
    }

    public Optional<String> noteIfAny() {
        return Optional.ofNullable(note);
    }
}
