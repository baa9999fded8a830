// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import java.time.Duration;

/** Acknowledges what should be released. */
record ForgetfulDelivery(Delivery real) implements Delivery {

    @Override
    public Message message() {
        return real.message();
    }

    @Override
    public void acknowledge() {
        real.acknowledge();
    }

    @Override
    public void release(Duration notBefore) {
        real.acknowledge();
    }
}
