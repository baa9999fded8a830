// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/** Where reading starts in a partition for which neither the group nor the database has a position. */
public enum FirstStart {
    /** At the oldest record. */
    EARLIEST,
    /** At the end of the partition. The position is saved immediately, so a later start skips nothing more. */
    LATEST,
    /** Nowhere: the partition is stopped until an operator configures another value. */
    NONE
}
