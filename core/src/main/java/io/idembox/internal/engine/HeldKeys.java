// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keys whose later messages are not run now, because an earlier message of the key did not succeed. With {@code ordering: none}
 * and {@code retry.by: inbox} no key is held: the failed message is retried later, behind the others. Not thread-safe.
 */
final class HeldKeys {

    static final String BEHIND = "a message of its key in front of it did not go through";

    private final ConsumerPolicy policy;
    private final Map<String, Duration> pauses = new HashMap<>();

    HeldKeys(ConsumerPolicy policy) {
        this.policy = policy;
    }

    /**
     * The later messages of its key have to be delivered again as well.
     *
     * @param pause how long the broker waits before it delivers the message again; the later ones wait as long
     */
    void add(IncomingMessage incoming, Duration pause) {
        String key = incoming.key();
        if (key != null && keepsOrderOf(incoming)) {
            pauses.merge(key, pause, (one, other) -> one.compareTo(other) < 0 ? other : one);
        }
    }

    /** How long the broker should wait before it delivers the message again; null when its key is not held. */
    @Nullable
    Duration pauseOf(IncomingMessage incoming) {
        String key = incoming.key();
        return key == null ? null : pauses.get(key);
    }

    private boolean keepsOrderOf(IncomingMessage incoming) {
        return keepsOrder(policy, incoming.task().isRegistered());
    }

    /** BUSY with the pause of the message in front of it. */
    static Receipt behind(Receipt inFront) {
        return Receipt.busy(BEHIND, inFront.retryAfter().orElse(Duration.ZERO));
    }

    /** Whether messages of a key keep their order when some of them have to be delivered again. */
    static boolean keepsOrder(ConsumerPolicy policy, boolean registered) {
        return policy.ordering() != Ordering.NONE || policy.retryBy(registered) == RetryBy.REDELIVERY;
    }
}
