// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Payload;
import io.idembox.policy.RetryBy;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the ledger knows about a message that was seen before.
 *
 * @param variant the fingerprint of the payload that came first
 * @param entry what is left to do; null when it is done
 * @param result what the handler returned; null when it returned nothing or that has expired
 */
public record LedgerMatch(
        int slot,
        long arrival,
        UUID variant,
        @Nullable Unfinished entry,
        @Nullable Payload result) {

    /**
     * An entry, as a delivery finds it.
     *
     * @param failure the last error; null when there was none yet
     */
    public record Unfinished(
            EntryState state, RetryBy owner, @Nullable Failure failure) {}
}
