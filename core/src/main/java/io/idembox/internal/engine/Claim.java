// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.RetryBy;

/**
 * An entry that is ours to work on, as it was when we got it: by its row lock, or by a lease.
 *
 * @param state where it has to be still when it is settled
 * @param owner who brings it again when it fails
 * @param failures how often the handler said no before, since it was last redriven
 * @param forgiven attempts that no longer count, because somebody redrove it after them
 */
public record Claim(EntryState state, RetryBy owner, int failures, int crashes, int releases, int forgiven) {

    /** An entry that was born with its mark in this very transaction. */
    static final Claim NEWBORN = new Claim(EntryState.RECEIVED, RetryBy.INBOX, 0, 0, 0, 0);

    /** The number the next attempt gets: one that no attempt had before. */
    public int nextAttempt() {
        return forgiven + failures + crashes + releases + 1;
    }
}
