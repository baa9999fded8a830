// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** Whether completed messages of a consumer may be handled again, to rebuild what its handlers write. */
public enum Replay {
    /** Not allowed. */
    FORBIDDEN,
    /** Allowed without effects outside the database: outgoing messages and intents are suppressed. */
    NO_EFFECTS,
    /** Allowed with all effects of the handlers. */
    ALLOWED
}
