// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import java.util.List;

/** A candidate and its answer. */
record AnsweredMessage(IncomingMessage incoming, Receipt receipt) {

    static List<AnsweredMessage> busy(List<IncomingMessage> incomings, String why) {
        return busy(incomings, Receipt.busy(why));
    }

    static List<AnsweredMessage> busy(List<IncomingMessage> incomings, Receipt busy) {
        return incomings.stream()
                .map(incoming -> new AnsweredMessage(incoming, busy))
                .toList();
    }
}
