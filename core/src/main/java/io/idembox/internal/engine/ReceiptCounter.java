// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts how deliveries were answered, minute by minute. Statistics, never the truth. Thread-safe. */
final class ReceiptCounter {

    private Instant minute = Instant.EPOCH;
    private Map<Receipt.Kind, Long> counts = new EnumMap<>(Receipt.Kind.class);
    private ReceiptCounts soFar = ReceiptCounts.NONE;

    /** Counts the receipts; the minute before, when it is over and had something in it. */
    synchronized Optional<InboxStore.Minute> count(List<Receipt> receipts, Instant now) {
        Instant current = now.truncatedTo(ChronoUnit.MINUTES);
        Optional<InboxStore.Minute> over = current.isAfter(minute) ? takeOver(current) : Optional.empty();
        receipts.forEach(receipt -> counts.merge(receipt.kind(), 1L, Long::sum));
        soFar = soFar.and(receipts);
        return over;
    }

    /** All since the start of the node. */
    synchronized ReceiptCounts soFar() {
        return soFar;
    }

    /** What was counted since the last minute was over. */
    synchronized Optional<InboxStore.Minute> rest() {
        return takeOver(minute);
    }

    private Optional<InboxStore.Minute> takeOver(Instant current) {
        Optional<InboxStore.Minute> over =
                counts.isEmpty() ? Optional.empty() : Optional.of(new InboxStore.Minute(minute, Map.copyOf(counts)));
        minute = current;
        counts = new EnumMap<>(Receipt.Kind.class);
        return over;
    }
}
