// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expires the leases of a consumer. A message that is parked because of this is sent to the dead-letter destination of its consumer
 * in the same transaction, like a message that failed for good. Each message is reported. Thread-safe.
 */
public final class LeaseReaper {

    private static final Logger log = LoggerFactory.getLogger(LeaseReaper.class);

    private static final Failure EXPIRED =
            ErrorText.refusal(Failure.Kind.PARK, OutgoingStore.LEASE_EXPIRED, LeaseStore.EXPIRED);

    private final LeaseStore leases;
    private final RegisteredConsumer consumer;
    private final DeadLetterSender letters;
    private final EventPublisher events;

    public LeaseReaper(
            LeaseStore leases, RegisteredConsumer consumer, OutboxWriter outboxWriter, EventPublisher events) {
        this.leases = leases;
        this.consumer = consumer;
        this.letters = new DeadLetterSender(consumer, outboxWriter);
        this.events = events;
    }

    /** Expires overdue leases; returns their messages. */
    public List<LeaseStore.Reaped> reap() {
        Set<Integer> sent = new HashSet<>();
        List<LeaseStore.Reaped> reaped = expire(sent);
        letters.committed(sent);
        reaped.forEach(this::tell);
        return reaped;
    }

    private List<LeaseStore.Reaped> expire(Set<Integer> sent) {
        try {
            return leases.reap(consumer, (tx, parked) -> sent.addAll(letters.send(tx, parked, "CRASH", EXPIRED)));
        } catch (StoreUnavailableException unavailable) {
            if (unavailable.getCause() instanceof TransactionFailed failed) {
                letters.lookUpNamesAfter(failed);
            }
            throw unavailable;
        }
    }

    private void tell(LeaseStore.Reaped reaped) {
        boolean parked = reaped.state() == EntryState.PARKED;
        if (parked) {
            log.error(
                    "Consumer {}: {} is PARKED, because its lease expired {} times: the process died or stalled, or the handler is"
                            + " slower than the lease. It is kept and not retried; fix the cause and redrive it, or discard it.",
                    consumer.name(),
                    reaped.id() == null ? "a message" : reaped.id(),
                    reaped.crashes());
        }
        events.tell(new InboxEvent.LeaseExpired(consumer.name(), reaped.id(), reaped.crashes(), parked));
    }
}
