// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.Care;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.GapMonitor;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.FaultyDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** More calls that no crash path makes: lanes that are taken over, and gaps that stay open. */
final class OtherLanes {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final InboxHandler NOTHING = context -> {};

    private final World world;
    private final FaultyDataSource recorded;
    private final ManualClock clock = ManualClock.create();

    private OtherLanes(World world, FaultyDataSource recorded) {
        this.world = world;
        this.recorded = recorded;
    }

    static void travel(World world, FaultyDataSource recorded) {
        OtherLanes partitions = new OtherLanes(world, recorded);
        partitions.takeOver();
        SequencePolicy guarded = SequencePolicy.by(SequenceNumber.header("place"));
        partitions.gap("parked", guarded.parkGapsAfter(PATIENCE));
        partitions.gap("skipped", guarded.skipGapsAfter(PATIENCE));
        partitions.idle();
        partitions.unheard();
        partitions.gap("fetched", guarded.refetchGapsAfter(PATIENCE, gap -> {}));
    }

    private JdbcInboxStore store(String node) {
        return new JdbcInboxStore(
                recorded,
                world.database(),
                new TableNames(world.schema(), "idembox_"),
                new StoreSettings(Duration.ofMillis(500), node, clock));
    }

    private Receiver receiver(JdbcInboxStore store, String consumer, ConsumerPolicy policy) {
        return new Receiver(
                store,
                store.consumer(consumer, policy),
                store.errorText(),
                clock,
                new EventPublisher(List.of()),
                new Care(store.leases(), store.owners(), new NobodyWatches()));
    }

    private static Receipt receive(Receiver receiver, Message message, InboxHandler handler) {
        return receiver.receive(List.of(message), each -> new HandlerTask.Single(handler))
                .get(0);
    }

    /** Who takes over is careful: with what is new, and with what failed. */
    private void takeOver() {
        Message first = Message.of("lane-1", "OrderPlaced", "{}").from("/lanes").at(new Position("orders", 1, 1));
        Message second =
                Message.of("lane-2", "OrderPlaced", "{}").from("/lanes").at(new Position("orders", 1, 2));
        receive(receiver(store("before"), "lanes", ConsumerPolicy.defaults()), first, NOTHING);
        Receiver after = receiver(store("after"), "lanes", ConsumerPolicy.defaults());
        Receipt failed = receive(after, second, context -> {
            throw new IllegalStateException("not yet");
        });
        Receipt done = receive(after, second, NOTHING);
        after.close();
        if (failed.kind() != Receipt.Kind.FAILED || done.kind() != Receipt.Kind.COMPLETED) {
            throw new IllegalStateException("Taken over: " + failed + ", " + done);
        }
    }

    /** A key that nothing hangs on is forgotten. */
    private void idle() {
        JdbcInboxStore store = store("idle");
        Receiver receiver = receiver(store, "idle", ConsumerPolicy.defaults().ordering(Ordering.HOLD));
        receive(receiver, place(1), NOTHING);
        if (store.retention().purgeKeys(0, 1_000) == 0
                || !world.list(
                                "select k.name from idembox_key k join idembox_consumer c on c.consumer_id = k.consumer_id"
                                        + " where c.name = 'idle'")
                        .isEmpty()) {
            throw new IllegalStateException("An idle key was not forgotten");
        }
    }

    /** A claim that gets no answer; the next one looks what became of it. */
    private void unheard() {
        JdbcInboxStore store = store("unheard");
        RegisteredConsumer consumer = store.consumer("unheard", ConsumerPolicy.defaults());
        LeaseStore leases = store.leases();
        LeaseStore.Demand demand = new LeaseStore.Demand(1, 1, PATIENCE, 0);
        try (Connection gate = world.dataSource().getConnection()) {
            gate.setAutoCommit(false);
            try (PreparedStatement hold = gate.prepareStatement(
                    "select consumer_id from idembox_consumer where name = 'unheard' for update")) {
                hold.executeQuery().close();
            }
            claimInVain(leases, consumer, demand);
            gate.rollback();
            gate.setAutoCommit(true);
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
        leases.claim(consumer, demand);
    }

    private static void claimInVain(LeaseStore leases, RegisteredConsumer consumer, LeaseStore.Demand demand) {
        try {
            if (!leases.claim(consumer, demand).isEmpty()) {
                throw new IllegalStateException("The gate was open");
            }
        } catch (StoreUnavailableException busy) {
            // PostgreSQL says so; on H2 nothing is claimed.
        }
    }

    private void gap(String consumer, SequencePolicy sequence) {
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .ordering(Ordering.HOLD)
                .retry(ConsumerPolicy.defaults().retry().by(RetryBy.INBOX))
                .sequence(sequence);
        JdbcInboxStore store = store("gaps");
        Receiver receiver = receiver(store, consumer, policy);
        receive(receiver, place(1), NOTHING);
        receive(receiver, place(3), NOTHING);
        clock.advance(PATIENCE.plusSeconds(1));
        GapMonitor gapMonitor = receiver.leaseRun(store.leases(), each -> new HandlerTask.Single(NOTHING))
                .gaps();
        int closed = gapMonitor.look();
        if (closed != 1 || gapMonitor.letStragglersPass(0) != 0) {
            throw new IllegalStateException("Gaps: " + closed);
        }
    }

    private static Message place(int sequenceNumber) {
        return Message.of("place-" + sequenceNumber, "OrderPlaced", "{}")
                .from("/lanes")
                .keyed("k")
                .header("place", Integer.toString(sequenceNumber));
    }
}
