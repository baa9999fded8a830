// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.RetryBy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The row of a key, locked until the end of the transaction, and who is in front.
 *
 * @param number what the tables call the key
 * @param first the arrival of its first unfinished message; null when there is none
 * @param owner who brings that one again; null when there is none
 */
public record KeyLock(
        long number, @Nullable Long first, @Nullable RetryBy owner) {

    /**
     * Whether a message has to wait for another one.
     *
     * @param running what runs in this very transaction, in front of it
     */
    boolean isBlocked(long arrival, Set<Long> running) {
        return first != null && first != arrival && !running.contains(first);
    }
}
