// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.acceptance.engine.OneConsumer;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.audit.AuditTrail;
import io.idembox.internal.admin.AdminStores;
import io.idembox.internal.admin.DefaultAuditTrail;
import io.idembox.internal.admin.DefaultInboxAdmin;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerLeaseProcessor;
import io.idembox.internal.engine.HandlerLookup;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One node: the engine without threads of its own, on a data source that may be stepped. */
final class Node {

    static final String CONSUMER = "billing";
    static final Duration LEASE = Duration.ofSeconds(30);

    private static final int CLAIMS = 20;
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final DataSource dataSource;
    private final Receiver receiver;
    private final LeaseStore leases;
    private final RetentionStore retention;
    private final HandlerLeaseProcessor run;
    private final HandlerLookup jobs;
    private final DefaultInboxAdmin defaultInboxAdmin;
    private final DefaultAuditTrail defaultAuditTrail;
    private final @Nullable Outgoing outgoing;

    /** @param frontDoorWait how long recording waits for rows that another transaction is writing */
    Node(DataSource dataSource, Case world, Duration frontDoorWait) {
        this.dataSource = dataSource;
        JdbcInboxStore real = new JdbcInboxStore(
                dataSource,
                Database.POSTGRESQL,
                new TableNames("public", "idembox_"),
                new StoreSettings(frontDoorWait, "node-" + NUMBERS.incrementAndGet(), world.clock()));
        InboxStore store = world.reverted().store(real);
        this.jobs = message -> new HandlerTask.Single(world::handle);
        this.outgoing = world.fixture().sends() ? new Outgoing(real, store, world) : null;
        this.receiver = new Receiver(
                store,
                real.consumer(CONSUMER, world.fixture().policy()),
                real.errorText(),
                world.clock(),
                new EventPublisher(List.of()),
                null,
                outgoing == null ? OutboxWriter.closed(store) : outgoing.mailroom());
        this.leases = real.leases();
        this.retention = real.retention();
        this.run = receiver.leaseRun(leases, jobs::jobFor);
        AdminStores adminStores = real.files();
        this.defaultInboxAdmin = new DefaultInboxAdmin(
                store, adminStores, new OneConsumer(receiver), new EventPublisher(List.of()), world.clock(), null);
        this.defaultAuditTrail = new DefaultAuditTrail(world.reverted().trail(adminStores.audit()), null);
    }

    Receiver receiver() {
        return receiver;
    }

    HandlerLookup jobs() {
        return jobs;
    }

    Connection connect() throws SQLException {
        return dataSource.getConnection();
    }

    List<Lease> claim() {
        return leases.claim(receiver.consumer(), new LeaseStore.Demand(2, 2, LEASE, 0));
    }

    /** Claims once, and works on what was claimed. */
    void workOnce() {
        claim().forEach(lease -> run.work(lease, () -> {}));
    }

    /** Works until nothing is due. */
    void work() {
        for (int i = 0; i < CLAIMS; i++) {
            List<Lease> claimed = claim();
            if (claimed.isEmpty()) {
                return;
            }
            claimed.forEach(lease -> run.work(lease, () -> {}));
        }
    }

    void reap() {
        leases.reap(receiver.consumer());
    }

    void lookForGaps() {
        run.gaps().look();
    }

    void sweepStragglers() {
        run.gaps().letStragglersPass(0);
    }

    boolean sends() {
        return outgoing != null;
    }

    /** Of a fixture whose handlers send. */
    Outgoing outgoing() {
        return Objects.requireNonNull(outgoing);
    }

    RetentionStore retention() {
        return retention;
    }

    InboxAdmin admin() {
        return defaultInboxAdmin;
    }

    void advanceCampaigns() {
        defaultInboxAdmin.advanceCampaigns();
    }

    AuditTrail audit() {
        return defaultAuditTrail;
    }

    /** What an operator sees of unfinished messages. */
    List<InboxMessage> look(Set<Status> statuses) {
        return defaultInboxAdmin
                .list(Filter.of(CONSUMER).statuses(statuses), Page.first(InboxAdmin.LIMIT))
                .messages();
    }

    /** The message of that id, whatever its status. */
    MessageRef find(String id) {
        return look(EnumSet.complementOf(EnumSet.of(Status.COMPLETED))).stream()
                .filter(each -> each.id().id().equals(id))
                .map(InboxMessage::ref)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("There is no unfinished message " + id));
    }
}
