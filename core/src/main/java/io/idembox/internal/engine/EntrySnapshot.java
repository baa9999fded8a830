// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.RetryBy;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An entry that is ours to work on, as it was when we got it: by its row lock, or by a lease.
 *
 * @param state where it has to be still when it is settled
 * @param owner who brings it again when it fails
 * @param failures how often the handler said no before, since it was last redriven
 * @param forgiven attempts that no longer count, because somebody redrove it after them
 * @param generation 0, or which replay of its message it is
 * @param conflict the fingerprint of a payload that came second under its id; null for the one that came first
 */
public record EntrySnapshot(
        EntryState state,
        RetryBy owner,
        int failures,
        int crashes,
        int releases,
        int forgiven,
        int generation,
        @Nullable UUID conflict) {

    /** An entry of the payload that came first. */
    public EntrySnapshot(EntryState state, RetryBy owner, int failures, int crashes, int releases, int forgiven) {
        this(state, owner, failures, crashes, releases, forgiven, 0, null);
    }

    /** An entry that was born with its mark in this very transaction. */
    static final EntrySnapshot NEWBORN = new EntrySnapshot(EntryState.RECEIVED, RetryBy.INBOX, 0, 0, 0, 0);

    /** Whether its message was settled before, and is handled again on purpose. */
    public boolean isReplay() {
        return generation > 0;
    }

    /** The number the next attempt gets: one that no attempt had before. */
    public int nextAttempt() {
        return forgiven + failures + crashes + releases + 1;
    }
}
