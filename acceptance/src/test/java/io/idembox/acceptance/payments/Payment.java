// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.Message;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One thing that was bought, and is to be paid once. The provider is told its id as the account, so that its books tell what was
 * charged for which payment, whatever key it came with.
 */
record Payment(int number) {

    static List<Payment> all(int count) {
        return IntStream.range(0, count).mapToObj(Payment::new).toList();
    }

    String id() {
        return "p" + number;
    }

    long cents() {
        return 100L + number % 900;
    }

    /** What it says is what the provider is told. */
    Message message() {
        return Message.of(
                        id(), PaymentWorker.ORDER_PLACED, "{\"account\":\"%s\",\"cents\":%d}".formatted(id(), cents()))
                .from("/shop");
    }
}
