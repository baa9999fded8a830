// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.engine;

import io.idembox.internal.admin.ConsumerRegistry;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.spi.RunningSource;
import java.util.List;
import java.util.Optional;

/** A node's own consumer, and no other. There are no threads to wake and no sources. */
public record OneConsumer(Receiver receiver) implements ConsumerRegistry {

    @Override
    public Optional<Known> find(String name) {
        return Optional.of(new Known(receiver.consumer(), true, true));
    }

    @Override
    public Receiver receiver(String name) {
        return receiver;
    }

    @Override
    public List<RunningSource> sources(RegisteredConsumer consumer) {
        return List.of();
    }

    @Override
    public void wake(String name) {}
}
