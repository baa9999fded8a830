// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Work;
import io.idembox.internal.engine.Events;
import io.idembox.internal.engine.Job;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseRun;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.Tables;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;

/** One node without threads: everything happens when the test says so, by the test's clock. */
final class Bench {

    static final Duration LEASE = Duration.ofSeconds(30);

    final Receiver receiver;
    final LeaseStore leases;
    final RetentionStore retention;
    final LeaseRun run;

    Bench(TestDatabase database, String node, ManualClock clock, Seen seen, ConsumerPolicy policy, Work work) {
        this(database.dataSource(), node, clock, seen, policy, message -> new Job.Single(work));
    }

    Bench(
            DataSource dataSource,
            String node,
            ManualClock clock,
            Seen seen,
            ConsumerPolicy policy,
            Function<Message, Job> jobs) {
        boolean h2 = isH2(dataSource);
        JdbcInboxStore store = new JdbcInboxStore(
                dataSource,
                h2 ? Database.H2 : Database.POSTGRESQL,
                new Tables(h2 ? "PUBLIC" : "public", "idembox_"),
                new StoreSettings(Duration.ofMillis(200), node, clock));
        this.receiver = new Receiver(
                store, store.consumer("billing", policy), store.errorText(), clock, new Events(List.of(seen)));
        this.leases = store.leases();
        this.retention = store.retention();
        this.run = receiver.leaseRun(leases, jobs);
    }

    private static boolean isH2(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return connection.getMetaData().getDatabaseProductName().equals("H2");
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
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

    List<Receipt> work(Lease lease) {
        return run.work(lease, () -> {});
    }
}
