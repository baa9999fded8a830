// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.OwnerStore;
import java.util.Collection;
import java.util.Optional;

/** Takes lanes over as if nobody had read them before. */
final class Careless implements OwnerStore {

    private final OwnerStore real;

    Careless(OwnerStore real) {
        this.real = real;
    }

    @Override
    public Optional<Integer> takeOver(Consumer consumer, String lane) {
        real.takeOver(consumer, lane);
        return Optional.empty();
    }

    @Override
    public boolean allow(Consumer consumer, String lane, int inFlight) {
        return real.allow(consumer, lane, inFlight);
    }

    @Override
    public void release(Consumer consumer, Collection<String> lanes) {
        real.release(consumer, lanes);
    }
}
