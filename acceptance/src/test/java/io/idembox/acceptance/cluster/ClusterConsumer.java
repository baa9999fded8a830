// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Payload;
import io.idembox.Subscription;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.acceptance.crash.Unfenced;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.jdbc.DetectedDatabase;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.worker.Maintenance;
import io.idembox.internal.worker.WorkerPool;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import javax.sql.DataSource;

/**
 * One process of the cluster: works on what is stored until it is killed or nobody is there who started it. It says
 * {@code ready} once, and {@code fenced} whenever it was refused.
 */
final class ClusterConsumer {

    static final String CONSUMER = "cluster";
    static final Duration LEASE = Duration.ofSeconds(2);

    /** How often a message is tried. */
    static final int ATTEMPTS = 3;

    static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(ATTEMPTS, Duration.ofMillis(20), Duration.ofMillis(100)))
            .work(WorkPolicy.defaults().workers(2).batch(10).lease(LEASE).poll(Duration.ofMillis(100)));

    /** Poison is reported as an error, a hundred times and as expected; everything else that is an error is shown. */
    private static final List<String> JVM = List.of(
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Dorg.slf4j.simpleLogger.log.io.idembox.internal.engine.BatchTransaction=off");

    private static final long PROCESS = ProcessHandle.current().pid();

    private ClusterConsumer() {}

    static Fleet fleet(String jdbcUrl, Options options) {
        return new Fleet(
                options.processes(),
                sequenceNumber -> ForkedJvm.startWith(
                        JVM, ClusterConsumer.class, jdbcUrl, options.unfenced() ? "unfenced" : "sound"));
    }

    /** The database, then {@code sound} or {@code unfenced}. */
    public static void main(String[] args) throws InterruptedException {
        ForkedJvm.endWithParent();
        DataSource dataSource = Pool.of(args[0], POLICY.work().workers() + 4);
        if (args[1].equals("sound")) {
            sound(Inbox.on(dataSource).listener(ClusterConsumer::listen).start());
        } else {
            unfenced(dataSource).start();
        }
        System.out.println("ready");
        Thread.currentThread().join();
    }

    /** As an application does it. */
    static void sound(Inbox inbox) {
        Subscription subscription = inbox.subscribe(CONSUMER).policy(POLICY);
        for (Fate fate : Fate.values()) {
            subscription.on(fate.name(), Payload.class, (payload, context) -> handle(context));
        }
        subscription.start();
    }

    /** The same from the same parts, but whoever lost the lease may commit. */
    private static WorkerPool unfenced(DataSource dataSource) {
        JdbcInboxStore store = DetectedDatabase.to(dataSource, null, "idembox_")
                .open(false, false, new StoreSettings(Duration.ofSeconds(1), "unfenced/" + PROCESS + "/0", null));
        LeaseStore leases = Unfenced.leases(store.leases());
        Receiver receiver = new Receiver(
                Unfenced.store(store),
                store.consumer(CONSUMER, POLICY),
                store.errorText(),
                InstantSource.system(),
                new EventPublisher(List.of(ClusterConsumer::listen)));
        return new WorkerPool(
                receiver.leaseRun(leases, message -> new HandlerTask.Single(ClusterConsumer::handle)),
                leases,
                new Maintenance(leases, store.retention(), store.pauses()));
    }

    private static void listen(InboxEvent event) {
        if (event instanceof InboxEvent.OwnershipLost) {
            System.out.println("fenced");
        }
    }

    /** The effect comes first: what fails after it has to take it back. */
    private static void handle(HandlerContext context) throws SQLException {
        try (PreparedStatement insert = context.connection()
                .prepareStatement(
                        "insert into effect (id, message_key, place, process, attempt) values (?, ?, ?, ?, ?)")) {
            insert.setString(1, context.id().id());
            insert.setString(2, context.message().key().orElseThrow());
            insert.setInt(3, Integer.parseInt(context.message().payload().text()));
            insert.setLong(4, PROCESS);
            insert.setInt(5, context.attempt());
            insert.executeUpdate();
        }
        if (Fate.valueOf(context.message().type().name()).fails(context.attempt())) {
            throw new OnPurpose();
        }
    }

    /** What a handler throws that was told to fail. */
    static final class OnPurpose extends RuntimeException {

        private static final long serialVersionUID = 1L;

        OnPurpose() {
            super("told to fail");
        }
    }
}
