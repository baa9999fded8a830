// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.acceptance.engine.OneConsumer;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.internal.admin.DefaultInboxAdmin;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerLeaseProcessor;
import io.idembox.internal.engine.HandlerLookup;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.spi.Delivery;
import io.idembox.testkit.ManualClock;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** A node of one consumer without threads: it receives, works and checks gaps when the test calls it, with a manual clock. */
class Station {

    private static final Duration LEASE = Duration.ofMinutes(30);
    private static final InboxHandler WORK = Station::handle;

    private final ConsumerPolicy policy;
    private final Receiver receiver;
    private final LeaseStore leases;
    private final HandlerLeaseProcessor run;
    private final InboxAdmin admin;

    Station(DataSource dataSource, ManualClock clock, String consumer, ConsumerPolicy policy) {
        this.policy = policy;
        JdbcInboxStore store = new JdbcInboxStore(
                dataSource,
                Database.POSTGRESQL,
                new TableNames("public", "idembox_"),
                new StoreSettings(Duration.ofMillis(200), "node", clock));
        EventPublisher events = new EventPublisher(List.of());
        this.receiver = new Receiver(store, store.consumer(consumer, policy), store.errorText(), clock, events);
        this.leases = store.leases();
        this.run = receiver.leaseRun(leases, message -> new HandlerTask.Single(WORK, true));
        this.admin = new DefaultInboxAdmin(store, store.files(), new OneConsumer(receiver), events, clock, null);
    }

    /** Handles or stores deliveries, depending on the mode. */
    void receive(List<Delivery> deliveries) {
        if (policy.mode() == Mode.STORED) {
            receiver.storeDeliveries(deliveries);
        } else {
            receiver.receiveDeliveries(deliveries, new Registered());
        }
    }

    /** Works on everything that is due; whether there was anything. */
    boolean work() {
        List<Lease> claimed = leases.claim(receiver.consumer(), new LeaseStore.Demand(4, 10, LEASE, 0));
        claimed.forEach(lease -> run.work(lease, () -> {}));
        return !claimed.isEmpty();
    }

    void lookAfterGaps() {
        run.gaps().look();
        run.gaps().letStragglersPass(0);
    }

    /** Discards everything that waits for a decision; how much that was. */
    int discardAll(String consumer) {
        Filter undecided = Filter.of(consumer).status(Status.FAILED_TERMINAL, Status.PARKED);
        List<MessageRef> ref = admin.list(undecided, Page.first(InboxAdmin.LIMIT)).messages().stream()
                .map(InboxMessage::ref)
                .toList();
        if (!ref.isEmpty()) {
            admin.discard(ref, new Operation(UUID.randomUUID().toString(), "matrix", "decided"));
        }
        return ref.size();
    }

    private static final class Registered implements HandlerLookup {

        @Override
        public HandlerTask jobFor(Message message) {
            return new HandlerTask.Single(WORK, true);
        }

        @Override
        public boolean areRegistered() {
            return true;
        }
    }

    /** Does what the header of the message requests: fail so often, be parked, or write an effect. */
    private static void handle(HandlerContext context) throws SQLException {
        String does = context.message().headers().text("does").orElse("ok");
        if (does.equals("park")) {
            throw HandlerException.park("as the message says");
        }
        if (does.startsWith("fail ") && context.attempt() <= Integer.parseInt(does.substring(5))) {
            throw new IllegalStateException("as the message says");
        }
        try (PreparedStatement insert = context.connection()
                .prepareStatement("insert into effect (consumer, name, message_key, place) values (?, ?, ?, ?)")) {
            Message message = context.message();
            insert.setString(1, context.consumer());
            insert.setString(2, Script.nameOf(message));
            insert.setString(3, message.key().orElse(null));
            insert.setLong(
                    4, message.headers().text("place").map(Long::parseLong).orElse(0L));
            insert.executeUpdate();
        }
    }
}
