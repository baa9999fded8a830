// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import java.util.List;

/**
 * How deliveries were answered, over some time.
 *
 * @param all how many there were
 * @param duplicates how many of them were DUPLICATE
 */
public record ReceiptCounts(long all, long duplicates) {

    public static final ReceiptCounts NONE = new ReceiptCounts(0, 0);

    ReceiptCounts and(List<Receipt> receipts) {
        long more = receipts.stream()
                .filter(receipt -> receipt.kind() == Receipt.Kind.DUPLICATE)
                .count();
        return new ReceiptCounts(all + receipts.size(), duplicates + more);
    }

    /** What came since then. */
    public ReceiptCounts since(ReceiptCounts then) {
        return new ReceiptCounts(all - then.all, duplicates - then.duplicates);
    }

    public double duplicateShare() {
        return all == 0 ? 0 : (double) duplicates / all;
    }
}
