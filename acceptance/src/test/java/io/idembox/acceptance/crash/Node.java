// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Work;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.Events;
import io.idembox.internal.engine.Job;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.Tables;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.spi.Delivery;
import io.idembox.testkit.fault.FaultyDataSource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** One process of the consumer: the engine, sound or broken, on a data source that can fail. */
final class Node {

    /** How often a poison message is tried. */
    static final int CAP = 6;

    private final FaultyDataSource dataSource;
    private final BrokenEngine engine;
    private final Receiver receiver;
    private final AtomicInteger deadlocks = new AtomicInteger();

    Node(World world, BrokenEngine engine, FaultyDataSource dataSource, Path path) {
        this.dataSource = dataSource;
        this.engine = engine;
        JdbcInboxStore store = new JdbcInboxStore(
                engine.rewriting(dataSource),
                world.database(),
                new Tables(world.schema(), "idembox_"),
                new StoreSettings(path.frontDoorWait(), "node", null));
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .identity(path.identity())
                .retry(RetryPolicy.exponential(CAP, Duration.ZERO, Duration.ZERO));
        this.receiver = new Receiver(
                engine.decorate(store),
                store.consumer("billing", policy),
                store.errorText(),
                // A clock that stands still: no minute ends in the middle of a story.
                InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")),
                new Events(List.of(this::listen)));
    }

    static Node sound(World world, Path path) {
        return new Node(world, BrokenEngine.NONE, FaultyDataSource.around(world.dataSource()), path);
    }

    private void listen(InboxEvent event) {
        if (event instanceof InboxEvent.BatchRepeated) {
            deadlocks.incrementAndGet();
        }
    }

    FaultyDataSource dataSource() {
        return dataSource;
    }

    int deadlocks() {
        return deadlocks.get();
    }

    /** Takes the deliveries as one batch, handles them, and tells the broker about each. */
    List<Receipt> deliver(Broker broker, List<Message> messages, Work work) {
        List<Delivery> deliveries = messages.stream()
                .map(broker::deliver)
                .map(dataSource::delivery)
                .map(engine::wrap)
                .toList();
        engine.beforeHandling(deliveries);
        return receiver.receiveDeliveries(deliveries, message -> new Job.Single(engine.wrap(work)));
    }
}
