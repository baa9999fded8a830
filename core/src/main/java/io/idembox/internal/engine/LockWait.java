// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

/** How to wait for rows that others are writing. */
public enum LockWait {
    /** All in one statement, waiting for the front-door bound. */
    TOGETHER,
    /** Each on its own with a short wait, so that one busy message does not hold up the others. */
    ROW_BY_ROW
}
