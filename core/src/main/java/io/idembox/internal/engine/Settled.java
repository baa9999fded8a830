// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import java.util.List;

/** A candidate and its answer. */
record Settled(Candidate candidate, Receipt receipt) {

    static List<Settled> busy(List<Candidate> candidates, String why) {
        return busy(candidates, Receipt.busy(why));
    }

    static List<Settled> busy(List<Candidate> candidates, Receipt busy) {
        return candidates.stream()
                .map(candidate -> new Settled(candidate, busy))
                .toList();
    }
}
