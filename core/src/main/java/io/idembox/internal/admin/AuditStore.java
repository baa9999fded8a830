// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the trail of operations. Every method is a transaction of its own. Thread-safe. */
public interface AuditStore {

    /**
     * An operation as it is there.
     *
     * @param consumer the name of its consumer; null when nobody has that number
     */
    record Line(OperationRow.Sealed sealed, @Nullable String consumer) {}

    /** Those behind a number, in order. */
    List<Line> after(long number, int atMost);

    OperationRow.Head head();

    /** How many operations are there that have no place in the trail. */
    long unsealed();
}
