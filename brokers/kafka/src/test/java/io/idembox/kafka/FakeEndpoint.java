// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.Delivery;
import io.idembox.spi.Partitions;
import java.util.List;
import java.util.function.Consumer;

/** A consumer endpoint without a database: the test decides what happens to deliveries. */
record FakeEndpoint(Consumer<List<KafkaDelivery>> receiver) implements ConsumerEndpoint {

    @Override
    public String consumer() {
        return "billing";
    }

    @Override
    public String originalName() {
        return "billing";
    }

    @Override
    public ConsumerPolicy policy() {
        return ConsumerPolicy.defaults();
    }

    @Override
    public List<Receipt> receive(List<? extends Delivery> deliveries) {
        receiver.accept(deliveries.stream().map(KafkaDelivery.class::cast).toList());
        return List.of();
    }

    @Override
    public Partitions partitions() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void publish(InboxEvent event) {
        // The tests do not check events.
    }
}
