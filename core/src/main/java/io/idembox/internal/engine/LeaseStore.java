// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who works on which entries. Methods that are given a transaction join it; every other one but {@link #steps} is a
 * transaction of its own. Leases are measured by the database's clock. Thread-safe.
 */
public interface LeaseStore {

    /** How many crashes make an entry run alone, and how many park it. */
    int ALONE_AFTER = 2;

    int PARKED_AFTER = 3;

    /** The error of a message whose lease expired. */
    String EXPIRED =
            "Lease expired before the worker finished (process died, stalled, or handler slower than the lease). Parked after "
                    + PARKED_AFTER + " expiries. Fix the cause, then redrive.";

    /**
     * Claims entries that are due, as many as are wanted and there are. Entries that were there when somebody's process
     * ended run alone, one at a time; such a lease is one of those that are wanted.
     */
    List<Lease> claim(RegisteredConsumer consumer, Demand demand);

    /**
     * Puts an entry that this transaction recorded or took under a lease, alone, before it is handled: should that end the
     * process, the lease runs out and the crash is counted. Behind the gate, like every claim.
     *
     * @param taken whether it was there before, failed
     */
    Lease claimFirst(Transaction tx, RegisteredConsumer consumer, long arrival, boolean taken, Duration lease);

    /** The entries of a lease with their messages, in the order of arrival; those that are gone are left out, all with the lease. */
    List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease);

    /**
     * The same, and with each of them those that wait directly behind it in its key, which come under the lease as well. They
     * stay WAITING. When the lease expires, they become suspects when it is their turn. Outgoing messages do not: they are handed
     * over only after the one in front of them is confirmed, so no crash is counted for them.
     *
     * @param followers how many of them at most
     */
    List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease, int followers);

    /** Begins the transaction in which entries under a lease are handled: sets the batch savepoint. */
    void open(Transaction tx);

    /**
     * Settles under a lease, which has to be ours still: it ends, or goes on for the rest.
     *
     * @return false when the lease is gone; then the transaction must not commit
     */
    boolean settle(Transaction tx, UUID token, List<Long> rest);

    /** Keeps leases for longer. One that is being settled, or taken away right now, is neither renewed nor gone. */
    Renewal renew(Collection<UUID> tokens, Duration lease);

    /** Which leases go on, and which are gone. */
    record Renewal(Set<UUID> renewed, Set<UUID> gone) {}

    /** Gives entries back unhandled; nobody pays. */
    void release(RegisteredConsumer consumer, Lease lease);

    /**
     * Gives entries back unhandled, but for some that may have ended their worker: those stay under the lease until it runs
     * out, which counts a crash for each of them.
     */
    void abandon(RegisteredConsumer consumer, Lease lease, List<Long> suspects);

    /** What is finished of messages under a lease before they are. */
    StepStore steps();

    /** Takes leases of a consumer that have run out from whoever had them, and counts a crash for each entry. */
    List<Reaped> reap(RegisteredConsumer consumer);

    /** The same; passes the messages that it parks to the callback in the same transaction, if their payloads are kept. */
    default List<Reaped> reap(RegisteredConsumer consumer, OnParked onParked) {
        return reap(consumer);
    }

    /** Called in the transaction that parks messages because their leases expired. */
    interface OnParked {
        void parked(Transaction tx, List<ClaimedMessage> messages);
    }

    /**
     * What a claimer wants.
     *
     * @param batches how many leases
     * @param batchSize how many entries each
     * @param floor entries that arrived before are left for the next sweep
     * @param remembered whether a claim must not be forgotten or overlooked, not even when the server crashes: what is done
     *     under it cannot be undone
     */
    record Demand(int batches, int batchSize, Duration lease, long floor, boolean remembered) {

        public Demand(int batches, int batchSize, Duration lease, long floor) {
            this(batches, batchSize, lease, floor, false);
        }
    }

    /**
     * An entry whose lease ran out.
     *
     * @param key the number of its key; null where no order is kept
     * @param sequenceNumber its place in the sequence of its key; null where none is guarded
     * @param generation 0, or which replay of its message it is
     * @param id the message; null when its body is not kept
     */
    record Reaped(
            long arrival,
            int crashes,
            EntryState state,
            @Nullable Long key,
            @Nullable Long sequenceNumber,
            int generation,
            @Nullable MessageId id) {

        /** The same with its identity. */
        public Reaped of(@Nullable MessageId newId) {
            return new Reaped(arrival, crashes, state, key, sequenceNumber, generation, newId);
        }
    }
}
