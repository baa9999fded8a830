// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.Receipt;
import io.idembox.acceptance.crash.Unfenced;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.Care;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.DetectedDatabase;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.worker.Maintenance;
import io.idembox.internal.worker.WorkerPool;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.Delivery;
import io.idembox.spi.Partitions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import javax.sql.DataSource;

/** The stored consumer from the same parts, but whoever lost the lease may commit. */
final class UnfencedConsumer {

    private UnfencedConsumer() {}

    /** @throws io.idembox.InboxException when the database is away */
    static void begin(DataSource dataSource, SoakConsumer.Place sequenceNumber) {
        ConsumerPolicy policy = SoakConsumer.policy(Mode.STORED);
        String node = "unfenced/" + ProcessHandle.current().pid() + "/0";
        JdbcInboxStore store = DetectedDatabase.to(dataSource, null, "idembox_")
                .open(false, false, new StoreSettings(Duration.ofSeconds(1), node, null));
        LeaseStore leases = Unfenced.leases(store.leases());
        Maintenance maintenance = new Maintenance(leases, store.retention(), store.pauses());
        RegisteredConsumer consumer = store.consumer(SoakConsumer.STORED, policy);
        Receiver receiver = new Receiver(
                Unfenced.store(store),
                consumer,
                store.errorText(),
                InstantSource.system(),
                new EventPublisher(List.of(SoakConsumer::listen)),
                new Care(leases, store.owners(), maintenance.watch(consumer)));
        maintenance.lookAfter(consumer, receiver.valve());
        WorkerPool workerPool = new WorkerPool(
                receiver.leaseRun(
                        leases,
                        message ->
                                new HandlerTask.Single(context -> SoakConsumer.handle(SoakConsumer.STORED, context))),
                leases,
                maintenance);
        workerPool.start();
        receiver.valve().add(sequenceNumber.source(Mode.STORED).open(new Door(receiver, workerPool)));
    }

    /** What the source sees. */
    private record Door(Receiver receiver, WorkerPool workerPool) implements ConsumerEndpoint {

        @Override
        public String consumer() {
            return SoakConsumer.STORED;
        }

        @Override
        public String originalName() {
            return receiver.consumer().firstName();
        }

        @Override
        public ConsumerPolicy policy() {
            return receiver.consumer().policy();
        }

        @Override
        public List<Receipt> receive(List<? extends Delivery> deliveries) {
            List<Receipt> receipts = receiver.storeDeliveries(deliveries);
            workerPool.wake();
            return receipts;
        }

        @Override
        public Partitions partitions() {
            return receiver.lanes();
        }

        @Override
        public void publish(InboxEvent event) {
            // Nobody listens here.
        }
    }
}
