// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.engine;

import io.idembox.Payload;
import io.idembox.spi.PayloadCodec;

/** For programmes whose payloads are texts: these need no codec, and a call is an error. */
public final class NoCodec implements PayloadCodec {

    @Override
    public <T> T read(Payload payload, Class<T> type) {
        throw new IllegalStateException("Nothing is read here");
    }

    @Override
    public Payload write(Object value) {
        throw new IllegalStateException("Nothing is written here");
    }
}
