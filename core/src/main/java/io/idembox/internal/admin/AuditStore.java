// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the audit trail. Every method is a transaction of its own. Thread-safe. */
public interface AuditStore {

    /**
     * An operation as stored.
     *
     * @param consumer the name of its consumer; null when no consumer has that number
     */
    record Line(OperationRow.Sealed sealed, @Nullable String consumer) {}

    /** Returns the operations after a number, in order. */
    List<Line> after(long number, int atMost);

    OperationRow.Head head();

    /** Counts the operations that have no number in the trail. */
    long unsealed();
}
