// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** Whether the messages of a consumer may be handled again on purpose, to build anew what its handlers write. */
public enum Replay {
    /** They may not. */
    FORBIDDEN,
    /** They may, and what happens outside the database is left out: nothing is sent, nothing is intended. */
    NO_EFFECTS,
    /** They may, with everything that their handlers do. */
    ALLOWED
}
