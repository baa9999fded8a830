// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.HandlerContext;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.Care;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.PartitionStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.Partitions;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.FaultyDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One life of a process, without threads. */
final class Life {

    final FaultyDataSource process;
    final Receiver receiver;
    final LeaseStore leases;
    final List<String> handled = new ArrayList<>();
    final List<InboxEvent> events = new ArrayList<>();
    final Owners owners;
    final Watch watch = new Watch();
    String killer = "killer";
    Runnable inside = () -> {};
    boolean failing;
    boolean mortal = true;

    Life(TestDatabase database, ManualClock clock, ConsumerPolicy policy) {
        boolean h2 = database.isH2();
        this.process = FaultyDataSource.around(database.dataSource());
        JdbcInboxStore store = new JdbcInboxStore(
                process,
                h2 ? Database.H2 : Database.POSTGRESQL,
                new TableNames(h2 ? "PUBLIC" : "public", "idembox_"),
                new StoreSettings(Duration.ofMillis(200), "node-" + UUID.randomUUID(), clock));
        this.leases = store.leases();
        this.owners = new Owners(store.owners());
        this.receiver = new Receiver(
                store,
                store.consumer("billing", policy),
                store.errorText(),
                clock,
                new EventPublisher(List.of(events::add)),
                new Care(leases, owners, watch));
    }

    List<Receipt> receive(List<Message> messages) {
        return receiver.receive(messages, message -> new HandlerTask.Single(this::handle));
    }

    void handle(HandlerContext context) throws Exception {
        handled.add(context.id().id());
        inside.run();
        if (failing) {
            throw new IllegalStateException("not yet");
        }
        if (mortal && context.id().id().equals(killer)) {
            process.crash();
        }
        DatabaseTest.effect(context);
    }

    void reap() {
        leases.reap(receiver.consumer());
    }

    void work() {
        InboxHandler handler = this::handle;
        leases.claim(receiver.consumer(), new LeaseStore.Demand(1, 100, Bench.LEASE, 0))
                .forEach(lease -> receiver.leaseRun(leases, message -> new HandlerTask.Single(handler))
                        .work(lease, () -> {}));
    }

    /** Nobody keeps leases alive. */
    static final class Watch implements LeaseRenewal {

        boolean interrupts;

        @Override
        public Shift begin(UUID token) {
            return () -> {};
        }

        @Override
        public boolean end(UUID token) {
            if (interrupts) {
                Thread.currentThread().interrupt();
            }
            return interrupts;
        }
    }

    /** What became of a write that was not answered. */
    enum Unknown {
        COMMITTED,
        ROLLED_BACK
    }

    /** An owner store whose writes fail and whose timeline changes when the test sets it so. */
    static final class Owners implements PartitionStore {

        final PartitionStore real;
        boolean fail;

        @Nullable
        Unknown unknown;

        @Nullable
        String timeline;

        private String realTimeline = "";

        Owners(PartitionStore real) {
            this.real = real;
        }

        @Override
        public Before takeOver(RegisteredConsumer consumer, String partition, UUID token) {
            Before before = real.takeOver(consumer, partition, token);
            realTimeline = before.timeline();
            return timeline == null ? before : new Before(before.inFlight(), before.position(), timeline);
        }

        @Override
        public boolean allow(RegisteredConsumer consumer, String partition, UUID token, int inFlight) {
            if (fail) {
                throw new StoreUnavailableException("away", null);
            }
            return real.allow(consumer, partition, token, inFlight);
        }

        @Override
        public Map<String, Partitions.SaveResult> reached(RegisteredConsumer consumer, Map<String, Step> partitions) {
            if (unknown == Unknown.ROLLED_BACK) {
                throw new StoreUnavailableException("no answer", null);
            }
            Map<String, Partitions.SaveResult> saveResult = new HashMap<>();
            partitions.forEach((partition, step) -> {
                boolean same = timeline == null || timeline.equals(step.timeline());
                saveResult.putAll(real.reached(
                        consumer,
                        Map.of(
                                partition,
                                new Step(
                                        step.token(),
                                        step.position(),
                                        step.expected(),
                                        same ? realTimeline : step.timeline()))));
            });
            if (unknown == Unknown.COMMITTED) {
                throw new StoreUnavailableException("no answer", null);
            }
            return saveResult;
        }

        @Override
        public void release(RegisteredConsumer consumer, Map<String, UUID> partitions) {
            real.release(consumer, partitions);
        }

        @Override
        public void fence(Transaction tx, RegisteredConsumer consumer, Map<String, UUID> partitions) {
            real.fence(tx, consumer, partitions);
        }
    }
}
