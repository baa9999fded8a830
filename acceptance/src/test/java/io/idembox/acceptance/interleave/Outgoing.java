// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.Message;
import io.idembox.acceptance.engine.NoCodec;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.ExternalLeaseProcessor;
import io.idembox.internal.engine.FailureRules;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.outbox.Relay;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** The outbox of a node: what handlers and the application send to one destination, in order by key. */
final class Outgoing {

    static final String DESTINATION = "orders";

    private static final int CLAIMS = 20;
    private static final int FOLLOWERS = 3;
    private static final RetryPolicy RETRY = RetryPolicy.exponential(6, Duration.ZERO, Duration.ZERO);

    private final InboxStore store;
    private final LeaseStore leases;
    private final OutboxWriter outboxWriter;
    private final Receiver receiver;
    private final ExternalLeaseProcessor relay;

    Outgoing(JdbcInboxStore real, InboxStore store, Case world) {
        this.store = store;
        this.leases = real.leases();
        this.outboxWriter = new OutboxWriter(store, new NoCodec(), number -> {});
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .recording(Recording.FULL)
                .ordering(Ordering.HOLD)
                .retry(RETRY);
        this.receiver = new Receiver(
                store,
                real.consumer(OutboxWriter.OUTBOX + DESTINATION, policy),
                real.errorText(),
                world.clock(),
                new EventPublisher(List.of()));
        real.know("/orders");
        outboxWriter.open(DESTINATION, receiver.consumer(), "/orders");
        Relay publishing = new Relay(
                DESTINATION,
                (destination, messages) -> world.published(messages),
                new FailureRules(RETRY, real.errorText(), () -> 0),
                world.clock(),
                receiver.valve(),
                FOLLOWERS);
        this.relay = receiver.outsideRun(leases, publishing);
    }

    OutboxWriter mailroom() {
        return outboxWriter;
    }

    /** What is sent for a cause: two messages of the same key. */
    static List<Message> of(String cause) {
        return List.of(message(cause, 1), message(cause, 2));
    }

    private static Message message(String cause, int number) {
        return Message.of(cause + ">" + number, "OrderShipped", "{}").keyed("z");
    }

    /** Sends in a transaction of the application. */
    void send(Connection connection, String cause) {
        try (Transaction tx = store.join(connection)) {
            outboxWriter.send(tx, DESTINATION, of(cause));
        }
    }

    List<Lease> claim() {
        return leases.claim(receiver.consumer(), new LeaseStore.Demand(2, 2, Node.LEASE, 0));
    }

    /** Claims once, and publishes it. */
    void publishOnce() {
        claim().forEach(lease -> relay.work(lease, () -> {}));
    }

    void publishAll() {
        for (int i = 0; i < CLAIMS; i++) {
            List<Lease> claimed = claim();
            if (claimed.isEmpty()) {
                return;
            }
            claimed.forEach(lease -> relay.work(lease, () -> {}));
        }
    }

    void reap() {
        leases.reap(receiver.consumer());
    }

    void sweepStragglers() {
        relay.gaps().letStragglersPass(0);
    }
}
