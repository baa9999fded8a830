// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.Message;
import io.idembox.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/** The last receipt of each message, over several rounds. Thread-safe. */
final class Receipts {

    private final IdentityHashMap<Message, Receipt> last = new IdentityHashMap<>();

    synchronized void add(List<Message> messages, List<Receipt> answers) {
        for (int i = 0; i < answers.size(); i++) {
            last.put(messages.get(i), answers.get(i));
        }
    }

    /** In the order of the messages; messages without a receipt are left out. */
    synchronized List<Receipt> of(List<Message> messages) {
        List<Receipt> inOrder = new ArrayList<>(messages.size());
        for (Message message : messages) {
            Receipt receipt = last.get(message);
            if (receipt != null) {
                inOrder.add(receipt);
            }
        }
        return inOrder;
    }

    /** The longest pause that the receipts ask for. */
    static Duration pause(List<Receipt> answers) {
        return answers.stream()
                .flatMap(receipt -> receipt.retryAfter().stream())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }
}
