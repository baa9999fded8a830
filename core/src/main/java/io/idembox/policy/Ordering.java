// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What the messages of one key have to do with each other. Keys never wait for other keys. */
public enum Ordering {
    /** Nothing: they may overtake each other. */
    NONE,
    /** One after another, across nodes and retries: a message that failed or is parked holds the later ones of its key. */
    HOLD,
    /** The same, but a message that failed for good or is parked lets the later ones pass. */
    SKIP_PARKED
}
