// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import io.idembox.Receipt;
import java.util.List;

/**
 * What was said about messages.
 *
 * @param errors everything that is neither completed nor a duplicate
 */
public record Tally(long completed, long duplicates, long errors) {

    public static final Tally NOTHING = new Tally(0, 0, 0);

    public static Tally of(List<Receipt> receipts) {
        long completed = 0;
        long duplicates = 0;
        for (Receipt receipt : receipts) {
            if (receipt.kind() == Receipt.Kind.COMPLETED) {
                completed++;
            } else if (receipt.kind() == Receipt.Kind.DUPLICATE) {
                duplicates++;
            }
        }
        return new Tally(completed, duplicates, receipts.size() - completed - duplicates);
    }

    public static Tally completed(long messages) {
        return new Tally(messages, 0, 0);
    }

    public static Tally duplicate(long messages) {
        return new Tally(0, messages, 0);
    }

    public static Tally failed(long messages) {
        return new Tally(0, 0, messages);
    }

    public Tally plus(Tally other) {
        return new Tally(completed + other.completed, duplicates + other.duplicates, errors + other.errors);
    }

    public long messages() {
        return completed + duplicates + errors;
    }
}
