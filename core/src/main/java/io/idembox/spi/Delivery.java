// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Message;
import java.time.Duration;

/** One arrival of a message from a broker. Exactly one of {@link #acknowledge} and {@link #release} is called. */
public interface Delivery {

    Message message();

    /** Whether the broker says that it brought it before: then whoever had it may have ended, and it is handled with care. */
    default boolean redelivered() {
        return false;
    }

    /** The broker may forget it. Called after the commit that makes it safe. */
    void acknowledge();

    /** The broker has to bring it again, not before the given time has passed. */
    void release(Duration notBefore);
}
