// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is sent, and what is known of it before it is done. Thread-safe. */
public interface OutgoingStore {

    /** The error class of a try whose worker did not come back. */
    String LEASE_EXPIRED = "LeaseExpired";

    /**
     * Checks that these sources have their numbers, before anything is sent: those that are missing are looked up together before
     * the next try.
     *
     * @throws TransactionFailed NOT_LOOKED_UP when one is missing
     */
    void checkLookedUp(Collection<String> sources);

    /**
     * Writes messages for a destination in the transaction of whoever sends them: marks that are free, with bodies and entries.
     * Where the destination keeps order, the rows of the keys are locked until the commit, and numbers are given out behind the
     * locks: the messages of a key are in the order of their commits.
     *
     * @param rows in the order of {@link NewLedgerRow#sorted}; their slots are in the order of sending
     * @param causes by slot, the messages that were being handled
     * @return the arrival numbers of those that were free
     */
    Set<Long> send(Transaction tx, RegisteredConsumer destination, List<NewLedgerRow> rows, Map<Integer, Long> causes);

    /**
     * Has what was sent to a destination for some messages published again, where it is published and still kept: it is
     * unfinished again, under the same id. Its mark is locked, so that it happens once at a time and nobody forgets it meanwhile.
     */
    void resend(Transaction tx, RegisteredConsumer destination, List<Long> causes);

    /**
     * What earlier tries of an intent tell, in a transaction of its own; empty when there were none. A try that ended before
     * anybody was called is none: it neither raises a doubt nor clears one up.
     */
    Optional<Tries> tries(RegisteredConsumer consumer, long arrival);

    /**
     * Earlier tries of an intent. All times are the database's.
     *
     * @param first when the first one began
     * @param firstInDoubt when the first one began that may have been done; null when there is none
     * @param lastEnded when the last one was over, as far as is known; questions since do not count
     * @param lastError the error class of the last one, or of the last question
     * @param redriven whether somebody redrove it who knew that it was in doubt
     * @param now when this was looked up
     */
    record Tries(
            Instant first,
            @Nullable Instant firstInDoubt,
            Instant lastEnded,
            String lastError,
            boolean redriven,
            Instant now) {}
}
