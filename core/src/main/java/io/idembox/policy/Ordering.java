// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** Whether messages of one key are handled in order. Keys never wait for other keys. */
public enum Ordering {
    /** Not in order: messages may overtake each other. */
    NONE,
    /** In order, across nodes and retries: a failed or parked message holds the later messages of its key. */
    HOLD,
    /** As HOLD, but a message that is FAILED_TERMINAL or PARKED does not hold the later ones. */
    SKIP_PARKED
}
