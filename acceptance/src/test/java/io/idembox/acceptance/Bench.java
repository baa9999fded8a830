// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.GapMonitor;
import io.idembox.internal.engine.HandlerLeaseProcessor;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseReaper;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.Delivery;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** One node without threads: everything happens when the test says so, by the test's clock. */
final class Bench {

    static final Duration LEASE = Duration.ofSeconds(30);

    final JdbcInboxStore store;
    final Receiver receiver;
    final LeaseStore leases;
    final RetentionStore retention;
    final HandlerLeaseProcessor run;
    private final Function<Message, HandlerTask> tasks;
    private final Seen seen;

    Bench(
            TestDatabase database,
            String node,
            ManualClock clock,
            Seen seen,
            ConsumerPolicy policy,
            InboxHandler handler) {
        this(database.dataSource(), database.isH2(), node, clock, seen, policy, handler);
    }

    /** The same in a process with connections of its own. */
    Bench(
            DataSource process,
            boolean h2,
            String node,
            ManualClock clock,
            Seen seen,
            ConsumerPolicy policy,
            InboxHandler handler) {
        this(process, h2, node, clock, seen, policy, jobs(handler));
    }

    static Function<Message, HandlerTask> jobs(InboxHandler handler) {
        return message -> new HandlerTask.Single(handler);
    }

    /** The same with handlers of any kind. */
    Bench(
            DataSource process,
            boolean h2,
            String node,
            ManualClock clock,
            Seen seen,
            ConsumerPolicy policy,
            Function<Message, HandlerTask> tasks) {
        this.tasks = tasks;
        this.seen = seen;
        store = new JdbcInboxStore(
                process,
                h2 ? Database.H2 : Database.POSTGRESQL,
                new TableNames(h2 ? "PUBLIC" : "public", "idembox_"),
                new StoreSettings(Duration.ofMillis(200), node, clock));
        this.receiver = new Receiver(
                store, store.consumer("billing", policy), store.errorText(), clock, new EventPublisher(List.of(seen)));
        this.leases = store.leases();
        this.retention = store.retention();
        this.run = receiver.leaseRun(leases, tasks);
    }

    /** Handles the messages directly, as one batch. */
    List<Receipt> handle(Message... messages) {
        return receiver.receive(List.of(messages), tasks::apply);
    }

    /** What is done with a message. */
    HandlerTask job(Message message) {
        return tasks.apply(message);
    }

    /** Delivers what was not acknowledged again, each by itself, as a broker does that obeys the pauses. */
    List<Receipt> redeliverByPause(List<Message> messages, List<Receipt> receipts) {
        return IntStream.range(0, messages.size())
                .filter(nth -> !receipts.get(nth).acknowledges())
                .boxed()
                .sorted(Comparator.comparing(
                        nth -> receipts.get(nth).retryAfter().orElseThrow()))
                .map(nth -> handle(messages.get(nth)).get(0))
                .toList();
    }

    /** Handles deliveries directly and tells the broker. */
    List<Receipt> receive(List<Delivery> deliveries) {
        return receiver.receiveDeliveries(deliveries, tasks::apply);
    }

    List<Receipt> store(Message... messages) {
        return receiver.store(List.of(messages));
    }

    List<Lease> claim(int batches, int batchSize) {
        return leases.claim(receiver.consumer(), new LeaseStore.Demand(batches, batchSize, LEASE, 0));
    }

    /** Claims one batch and works on it. */
    List<Receipt> work() {
        List<Receipt> receipts = new ArrayList<>();
        claim(1, 100).forEach(lease -> receipts.addAll(work(lease)));
        return receipts;
    }

    List<LeaseStore.Reaped> reap() {
        return leases.reap(receiver.consumer());
    }

    /** The same as the threads of a node do it: each message is reported, and dead letters go out. */
    LeaseReaper reaper(OutboxWriter outboxWriter) {
        return new LeaseReaper(leases, receiver.consumer(), outboxWriter, new EventPublisher(List.of(seen)));
    }

    GapMonitor gaps() {
        return run.gaps();
    }

    List<Receipt> work(Lease lease) {
        return run.work(lease, () -> {});
    }
}
