// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The messages of one call that have to be delivered again come back in the order of their key: a message waits at least as long
 * as those of its key in front of it. Otherwise it would run before them, or begin the sequence of its key behind them, and they
 * would be too old when they come. Where no order is kept (see {@link HeldKeys}) every receipt keeps its own pause. Not
 * thread-safe.
 */
final class ReleaseOrder {

    private final boolean keepsOrder;
    private final Map<String, Duration> pauses = new HashMap<>();

    ReleaseOrder(ConsumerPolicy policy, boolean registered) {
        this.keepsOrder = HeldKeys.keepsOrder(policy, registered);
    }

    /** The receipt of the next message of the call, with the longest pause of its key so far. */
    Receipt next(Message message, Receipt receipt) {
        String key = message.key().orElse(null);
        if (!keepsOrder || key == null || receipt.acknowledges()) {
            return receipt;
        }
        Duration own = receipt.retryAfter().orElse(Duration.ZERO);
        Duration longest =
                Objects.requireNonNull(pauses.merge(key, own, (one, other) -> one.compareTo(other) < 0 ? other : one));
        return longest.equals(own) ? receipt : paused(receipt, longest);
    }

    private static Receipt paused(Receipt receipt, Duration pause) {
        return switch (receipt.kind()) {
            case BUSY -> Receipt.busy(receipt.reason().orElse(""), pause);
            case FAILED -> Receipt.failedUntilRedelivery(receipt.failure().orElseThrow(), pause);
            // It is not run, however soon it comes.
            case REFUSED, COMPLETED, DUPLICATE, SKIPPED, STORED -> receipt;
        };
    }
}
