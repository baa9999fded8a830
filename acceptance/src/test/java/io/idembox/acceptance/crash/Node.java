// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.InboxException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.acceptance.engine.OneConsumer;
import io.idembox.admin.Command;
import io.idembox.admin.DeadLetter;
import io.idembox.admin.Filter;
import io.idembox.admin.ImportReport;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Report;
import io.idembox.event.InboxEvent;
import io.idembox.internal.admin.DefaultInboxAdmin;
import io.idembox.internal.engine.Care;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerLeaseProcessor;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.spi.Delivery;
import io.idembox.spi.Partitions;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.FaultyDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One process of the consumer: the engine, sound or broken, on a data source that can fail. */
final class Node {

    static final String CONSUMER = "billing";
    static final Duration LEASE = Duration.ofSeconds(30);

    private static final int CLAIMS = 20;

    /** Every process has a name of its own. */
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final FaultyDataSource dataSource;
    private final BrokenEngine engine;
    private final Receiver receiver;
    private final LeaseStore leases;
    private final RetentionStore retention;
    private final LeaseStore reaped;
    private final LeaseStore.Demand demand;
    private final DefaultInboxAdmin defaultInboxAdmin;
    private final @Nullable PostOffice mail;
    private final AtomicInteger deadlocks = new AtomicInteger();

    /**
     * @param clock by which leases run out
     * @param outside those outside, when something goes out
     */
    Node(
            World world,
            BrokenEngine engine,
            FaultyDataSource dataSource,
            Path path,
            ManualClock clock,
            @Nullable Outside outside) {
        this.dataSource = dataSource;
        this.engine = engine;
        JdbcInboxStore store = new JdbcInboxStore(
                engine.rewriting(dataSource),
                world.database(),
                new TableNames(world.schema(), "idembox_"),
                new StoreSettings(path.frontDoorWait(), "node-" + NUMBERS.incrementAndGet(), clock));
        this.retention = store.retention();
        this.leases = engine.decorate(store.leases());
        this.reaped = engine.reaping(store.leases(), clock);
        InboxStore ours = engine.decorate(store);
        RegisteredConsumer billing = store.consumer(CONSUMER, path.policy());
        this.mail = outside == null
                ? null
                : new PostOffice(
                        new PostOffice.Premises(store, ours, leases, reaped, dataSource, clock),
                        engine.mail(),
                        outside,
                        billing);
        this.receiver = new Receiver(
                ours,
                billing,
                store.errorText(),
                // A clock that stands still: no minute ends in the middle of a story.
                InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")),
                new EventPublisher(List.of(this::listen)),
                new Care(leases, engine.decorate(store.owners()), new NobodyWatches()),
                mail == null ? OutboxWriter.closed(ours) : mail.mailroom());
        this.defaultInboxAdmin = new DefaultInboxAdmin(
                engine.behindCommands(store),
                engine.decorate(store.files(), store),
                new OneConsumer(receiver),
                new EventPublisher(List.of()),
                InstantSource.system(),
                null);
        this.demand = new LeaseStore.Demand(2, path.batchSize(), LEASE, 0);
    }

    private void listen(InboxEvent event) {
        if (event instanceof InboxEvent.BatchRetried) {
            deadlocks.incrementAndGet();
        }
    }

    FaultyDataSource dataSource() {
        return dataSource;
    }

    /** Of a path in which something goes out. */
    PostOffice mail() {
        return Objects.requireNonNull(mail);
    }

    /** A connection of the application's, in this process. */
    Connection connect() throws SQLException {
        return engine.rewriting(dataSource).getConnection();
    }

    int deadlocks() {
        return deadlocks.get();
    }

    /** Takes the deliveries as one batch, handles them, and tells the broker about each. */
    void deliver(Broker broker, List<Message> messages, InboxHandler handler) {
        List<Delivery> deliveries = deliveries(broker, messages);
        engine.beforeHandling(deliveries);
        receiver.receiveDeliveries(deliveries, jobs(handler)::apply);
    }

    /** Stores the deliveries and tells the broker about each. */
    void store(Broker broker, List<Message> messages) {
        List<Delivery> deliveries = deliveries(broker, messages);
        engine.beforeHandling(deliveries);
        receiver.storeDeliveries(deliveries);
    }

    private List<Delivery> deliveries(Broker broker, List<Message> messages) {
        return messages.stream()
                .map(broker::deliver)
                .map(dataSource::delivery)
                .map(engine::wrap)
                .toList();
    }

    /** Who reads what. */
    Partitions lanes() {
        return receiver.lanes();
    }

    List<Lease> claim() {
        return leases.claim(receiver.consumer(), demand);
    }

    /** Nothing when the database does not say. */
    List<Lease> claimIfItAnswers() {
        try {
            return claim();
        } catch (InboxException unavailable) {
            return List.of();
        }
    }

    /** A handler that ends its process. */
    @SuppressWarnings("serial")
    static final class Killed extends Error {}

    private Function<Message, HandlerTask> jobs(InboxHandler handler) {
        InboxHandler ours = engine.wrap(handler);
        return message -> new HandlerTask.Single(context -> {
            try {
                ours.run(context);
            } catch (Killed killed) {
                // Whoever catches an error in this process does not get anything done any more.
                dataSource.crash();
                throw killed;
            }
        });
    }

    /** Works under these leases. */
    void work(InboxHandler handler, List<Lease> claimed) {
        HandlerLeaseProcessor run = receiver.leaseRun(leases, jobs(handler));
        for (Lease lease : claimed) {
            try {
                run.work(lease, () -> {});
            } catch (OutOfMemoryError all) {
                // A worker says so, and goes on with what is claimed next.
            }
        }
    }

    void lookAfterGaps() {
        receiver.leaseRun(leases, jobs(context -> {})).gaps().look();
    }

    /** Lets messages go that were left waiting because another transaction held their key. */
    void sweepStragglers() {
        receiver.leaseRun(leases, jobs(context -> {})).gaps().letStragglersPass(0);
    }

    /** The process ends on purpose, with nothing in flight. */
    void stop() {
        receiver.close();
    }

    /** Works on everything that is due, batch by batch. */
    void work(InboxHandler handler) {
        for (int i = 0; i < CLAIMS; i++) {
            List<Lease> claimed = claim();
            if (claimed.isEmpty()) {
                return;
            }
            work(handler, claimed);
        }
    }

    /** What somebody sees of the unfinished messages whose ids end like that. */
    List<MessageRef> see(String suffix) {
        return defaultInboxAdmin
                .list(Filter.of(receiver.consumer().name()), Page.first(InboxAdmin.LIMIT))
                .messages()
                .stream()
                .map(InboxMessage::ref)
                .filter(each -> each.id().id().endsWith(suffix))
                .toList();
    }

    /** Somebody does something to what he saw. */
    Report command(Command command, List<MessageRef> seen, Operation operation) {
        List<MessageRef> given = engine.looksAgain() ? asTheyAre(seen) : seen;
        return switch (command) {
            case REDRIVE -> defaultInboxAdmin.redrive(given, operation);
            case PARK -> defaultInboxAdmin.park(given, operation);
            case DISCARD -> defaultInboxAdmin.discard(given, operation);
            case RESTORE -> defaultInboxAdmin.restore(given, operation);
            default -> throw new IllegalArgumentException("Not for messages: " + command);
        };
    }

    /** What people do in this process. */
    InboxAdmin admin() {
        return defaultInboxAdmin;
    }

    /** Goes on with campaigns, as every node does now and then. */
    void takeOn() {
        defaultInboxAdmin.advanceCampaigns();
    }

    /** Forgets plans that nobody started, as if a month had gone by. */
    void forgetPlans() {
        retention.purgePlans(Duration.ofMinutes(-1), 10);
    }

    /** Takes over messages that failed elsewhere. */
    ImportReport adopt(List<Message> messages) {
        return defaultInboxAdmin.importDeadLetters(
                receiver.consumer().name(),
                messages.stream()
                        .map(message -> new DeadLetter(message, "com.example.BankClosed", "the bank is closed", ""))
                        .toList());
    }

    private List<MessageRef> asTheyAre(List<MessageRef> seen) {
        Map<Long, MessageRef> now = new HashMap<>();
        see("").forEach(each -> now.put(each.arrival(), each));
        return seen.stream().map(each -> now.getOrDefault(each.arrival(), each)).toList();
    }

    void release(List<Lease> claimed) {
        claimed.forEach(lease -> leases.release(receiver.consumer(), lease));
    }

    void reap() {
        reaped.reap(receiver.consumer());
        if (mail != null) {
            mail.reap();
        }
    }

    void renew(List<Lease> claimed) {
        leases.renew(claimed.stream().map(Lease::token).toList(), LEASE);
    }
}
