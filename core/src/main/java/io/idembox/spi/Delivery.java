// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Message;
import java.time.Duration;

/** One arrival of a message from a broker. Exactly one of {@link #acknowledge} and {@link #release} is called. */
public interface Delivery {

    Message message();

    /**
     * Whether the broker reports a redelivery. The process that had it before may have crashed on it, so it is claimed
     * first and handled alone.
     */
    default boolean redelivered() {
        return false;
    }

    /** Acknowledges the delivery to the broker. Called after the commit that makes the message durable. */
    void acknowledge();

    /** Returns the delivery to the broker, to be delivered again after the given time. */
    void release(Duration notBefore);
}
