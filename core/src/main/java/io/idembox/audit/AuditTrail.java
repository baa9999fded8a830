// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

import java.util.Collection;
import java.util.List;

/**
 * All that people did, in the order in which they did it. Each operation is written in the transaction that does it, and sealed together
 * with the seal of the one before: an operation that is changed, taken out, put in or moved later on does not fit any more.
 *
 * <p>What is cut off at the end leaves no trace in the database. So heads are told (event and log {@code io.idembox.audit}), to be
 * kept elsewhere, and {@link #verify} compares with them. Thread-safe; every call is a transaction of its own.
 */
public interface AuditTrail {

    /** The operations behind that number, the oldest first; at most a thousand. */
    List<AuditEntry> after(long number, int atMost);

    /** Where the trail ends now. */
    AuditHead head();

    /**
     * Checks every operation.
     *
     * @param heads that were kept elsewhere; none to trust the end of the trail
     * @param olderKeys that operations may be sealed with besides the one this inbox was given
     */
    AuditReport verify(Collection<AuditHead> heads, Collection<AuditKey> olderKeys);
}
