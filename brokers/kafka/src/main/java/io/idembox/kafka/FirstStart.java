// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/** Where a partition is begun that neither the group nor the database knows a position of. */
public enum FirstStart {
    /** With the oldest record there is. */
    EARLIEST,
    /** With what comes from now on. The position is written down at once, so a later start skips nothing more. */
    LATEST,
    /** Not at all: the partition stands still until somebody says. */
    NONE
}
