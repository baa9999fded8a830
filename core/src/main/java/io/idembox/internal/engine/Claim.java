// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.UUID;

/**
 * The right to work on one entry.
 *
 * @param token random, so that it never repeats, not even after a failover
 * @param failures how often the handler said no before
 */
public record Claim(UUID token, int failures, int crashes, int releases) {

    /** The number the next attempt gets. */
    public int nextAttempt() {
        return failures + crashes + releases + 1;
    }
}
