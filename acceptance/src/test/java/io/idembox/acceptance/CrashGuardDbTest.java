// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.Work;
import io.idembox.internal.engine.Care;
import io.idembox.internal.engine.Events;
import io.idembox.internal.engine.Job;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.LeaseWatch;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.Tables;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.FaultyDataSource;
import io.idembox.testkit.fault.ProcessGone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Direct mode after a process ended: who takes over is careful, and a message that ends processes is found and parked. */
class CrashGuardDbTest extends DatabaseTest {

    private static final ConsumerPolicy REDELIVERY = ConsumerPolicy.defaults();
    private static final ConsumerPolicy INBOX =
            REDELIVERY.retry(REDELIVERY.retry().by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();

    /** One life of a process, without threads. */
    private final class Life {

        private final FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        private final Receiver receiver;
        private final LeaseStore leases;
        private final List<String> handled = new ArrayList<>();

        Life(ConsumerPolicy policy) {
            boolean h2 = database.jdbcUrl().startsWith("jdbc:h2:");
            JdbcInboxStore store = new JdbcInboxStore(
                    process,
                    h2 ? Database.H2 : Database.POSTGRESQL,
                    new Tables(h2 ? "PUBLIC" : "public", "idembox_"),
                    new StoreSettings(Duration.ofMillis(200), "node-" + UUID.randomUUID(), clock));
            this.leases = store.leases();
            this.receiver = new Receiver(
                    store,
                    store.consumer("billing", policy),
                    store.errorText(),
                    clock,
                    new Events(List.of()),
                    new Care(leases, store.owners(), new NoWatch()));
        }

        List<Receipt> receive(List<Message> messages) {
            return receiver.receive(messages, message -> new Job.Single(this::handle));
        }

        private void handle(HandlerContext context) throws Exception {
            handled.add(context.id().id());
            if (context.id().id().equals("killer")) {
                process.die();
            }
            effect(context);
        }

        void reap() {
            leases.reap(receiver.consumer());
        }

        void work() {
            Work work = this::handle;
            leases.claim(receiver.consumer(), new LeaseStore.Demand(1, 100, Bench.LEASE, 0))
                    .forEach(lease -> receiver.leaseRun(leases, message -> new Job.Single(work))
                            .work(lease, () -> {}));
        }
    }

    /** Nobody keeps leases alive. */
    private static final class NoWatch implements LeaseWatch {

        @Override
        public Shift begin(UUID token) {
            return () -> {};
        }

        @Override
        public void end(UUID token) {
            // Nothing was begun.
        }
    }

    private static List<Message> batch() {
        List<Message> messages = new ArrayList<>(IntStream.range(0, 9)
                .mapToObj(n -> message("m" + n).at(new Position("orders", 3, n)))
                .toList());
        messages.add(4, message("killer").at(new Position("orders", 3, 100)));
        return messages;
    }

    /** The process ends inside the call. */
    private void die(Life life, Runnable call) {
        try {
            call.run();
            throw new AssertionError("It survived: " + life.handled);
        } catch (ProcessGone gone) {
            // The database notices.
        }
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox where status <> 'COMPLETED'");
    }

    @Test
    void aKillerIsFoundAndParkedAndItsNeighboursComplete() {
        int lives = 0;
        List<Receipt> receipts = List.of();
        while (receipts.stream().filter(Receipt::acknowledges).count() < 10 && lives < 20) {
            lives++;
            clock.advance(Bench.LEASE.plusSeconds(1));
            Life life = new Life(REDELIVERY);
            life.reap();
            try {
                receipts = life.receive(batch());
            } catch (ProcessGone gone) {
                receipts = List.of();
            }
        }

        assertThat(database.list(
                        "select status || ' ' || reason || ' ' || crashes from idembox_inbox where message_id ="
                                + " 'killer'"))
                .containsExactly("PARKED CRASH 3");
        assertThat(effects()).hasSize(9).doesNotHaveDuplicates();
        assertThat(lives)
                .as("one uncounted, three counted, one that finds it parked")
                .isEqualTo(5);
        assertThat(receipts.get(4).kind()).isEqualTo(Receipt.Kind.FAILED);
    }

    @Test
    void whatTheInboxRetriesIsStoredByWhoTakesOver() {
        Life first = new Life(INBOX);
        die(first, () -> first.receive(batch()));

        Life second = new Life(INBOX);
        assertThat(second.receive(batch())).extracting(Receipt::kind).containsOnly(Receipt.Kind.STORED);
        assertThat(second.handled).isEmpty();
        for (int crash = 1; crash <= 3; crash++) {
            Life next = new Life(INBOX);
            for (int claims = 0; claims < 12; claims++) {
                try {
                    next.work();
                } catch (ProcessGone gone) {
                    break;
                }
            }
            clock.advance(Bench.LEASE.plusSeconds(1));
            new Life(INBOX).reap();
        }
        Life last = new Life(INBOX);
        for (int claims = 0; claims < 12; claims++) {
            last.work();
        }
        assertThat(states()).containsExactly("killer PARKED");
        assertThat(effects()).hasSize(9).doesNotHaveDuplicates();
    }

    @Test
    void whoSaysGoodByeLeavesNothingToBeCarefulAbout() {
        Life first = new Life(REDELIVERY);
        first.receive(List.of(message("a").at(new Position("orders", 3, 1))));
        first.receiver.close();

        Life second = new Life(REDELIVERY);
        second.receive(List.of(message("b").at(new Position("orders", 3, 2))));
        assertThat(database.count("idembox_body"))
                .as("bodies are kept of what is claimed first")
                .isZero();
    }

    @Test
    void careEndsWhenAsManyMessagesHaveSurvivedAsMayHaveBeenInFlight() {
        Life first = new Life(REDELIVERY);
        first.receive(batch().subList(0, 1));
        // Gone without a word. It allowed for sixteen in flight.

        Life second = new Life(REDELIVERY);
        List<Message> next = IntStream.range(0, 20)
                .mapToObj(n -> message("n" + n).at(new Position("orders", 3, 200 + n)))
                .toList();
        second.receive(next.subList(0, 20));
        assertThat(database.count("idembox_body")).isEqualTo(16);
        assertThat(effects()).hasSize(21);
        second.receive(List.of(message("other").at(new Position("orders", 4, 1))));
        assertThat(database.count("idembox_body")).as("another lane").isEqualTo(16);
    }

    @Test
    void careKeepsTheOrderOfAKey() {
        ConsumerPolicy ordered = REDELIVERY.ordering(Ordering.HOLD);
        Life first = new Life(ordered);
        first.receive(batch().subList(0, 1));

        Life second = new Life(ordered);
        List<Message> keyed = IntStream.range(0, 5)
                .mapToObj(n -> message("k" + n).keyed("k").at(new Position("orders", 3, 300 + n)))
                .toList();
        second.receive(keyed);
        assertThat(second.handled).containsExactly("k0", "k1", "k2", "k3", "k4");
        assertThat(states()).isEmpty();
    }

    @Test
    void whatWasThereWhenAProcessEndedIsNotHandledTogetherWithOthers() {
        Life first = new Life(REDELIVERY);
        first.receive(batch().subList(0, 1));
        Life second = new Life(REDELIVERY);
        die(second, () -> second.receive(List.of(batch().get(4))));
        clock.advance(Bench.LEASE.plusSeconds(1));
        new Life(REDELIVERY).reap();
        // Somebody who is not careful any more, because the lane was given back.
        Life third = new Life(REDELIVERY);
        third.receive(List.of(message("x").at(new Position("orders", 5, 1))));
        List<Message> both = List.of(
                message("killer").at(new Position("orders", 5, 2)), message("y").at(new Position("orders", 5, 3)));

        assertThat(third.receive(both))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
        die(third, () -> third.receive(both));
        clock.advance(Bench.LEASE.plusSeconds(1));
        new Life(REDELIVERY).reap();
        assertThat(database.one("select crashes from idembox_inbox where message_id = 'killer'"))
                .isEqualTo("2");
    }
}
