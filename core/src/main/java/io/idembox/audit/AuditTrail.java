// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

import java.util.Collection;
import java.util.List;

/**
 * The audit trail: all operator commands in the order in which they were executed. Each operation is written in the
 * transaction that executes it, and is sealed together with the seal of the previous one: an operation that is changed,
 * removed, inserted or moved later no longer matches.
 *
 * <p>Truncation at the end leaves no trace in the database. Therefore each new head is published (event and logger
 * {@code io.idembox.audit}), to be kept elsewhere, and {@link #verify} compares the trail with these heads.
 * Thread-safe; every call is a transaction of its own.
 */
public interface AuditTrail {

    /** Returns the operations after that number, oldest first, at most a thousand. */
    List<AuditEntry> after(long number, int atMost);

    /** Returns the current end of the trail. */
    AuditHead head();

    /**
     * Verifies every operation.
     *
     * @param heads heads that were kept elsewhere; without any, truncation at the end is not detected
     * @param olderKeys keys that operations may be sealed with, in addition to the key of this inbox
     */
    AuditReport verify(Collection<AuditHead> heads, Collection<AuditKey> olderKeys);
}
