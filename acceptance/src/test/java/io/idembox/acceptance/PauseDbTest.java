// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.Subscription;
import io.idembox.admin.Command;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.event.InboxEvent;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.PausePolicy;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.spi.FlowControl;
import io.idembox.testkit.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A consumer stands still because somebody said so, because too much fails, or because the database is away. */
class PauseDbTest extends DatabaseTest {

    private static final Duration PAUSE = Duration.ofMinutes(10);
    private static final ConsumerPolicy CAUTIOUS = ConsumerPolicy.defaults()
            .retry(new RetryPolicy(9, Duration.ofMinutes(1), Duration.ofMinutes(1), 1, 0, RetryBy.INBOX, Map.of()))
            .pause(new PausePolicy(0.5, 4, Duration.ofMinutes(1), PAUSE));

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private final AtomicBoolean broken = new AtomicBoolean();

    private Bench bench(ConsumerPolicy policy) {
        return new Bench(database, "node", clock, seen, policy, context -> {
            if (broken.get()) {
                throw new IllegalStateException("the bank is closed");
            }
            effect(context);
        });
    }

    private void inTransaction(Bench bench, java.util.function.BiConsumer<PauseStore, Transaction> work) {
        try (Transaction tx = bench.store.begin()) {
            work.accept(bench.store.pauses(), tx);
            tx.commit();
        }
    }

    @Test
    void whatIsPausedByHandIsStoredButNotClaimedOnAnyNode() {
        Bench one = bench(CAUTIOUS);
        Bench other = bench(CAUTIOUS);
        inTransaction(one, (pauses, tx) -> {
            assertThat(pauses.pause(tx, one.receiver.consumer(), "ann", "the bank is closed"))
                    .isTrue();
            assertThat(pauses.pause(tx, one.receiver.consumer(), "bob", "me too"))
                    .isFalse();
        });

        assertThat(other.store(message("m1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        assertThat(one.claim(1, 10)).isEmpty();
        assertThat(other.claim(1, 10)).isEmpty();
        assertThat(one.store.pauses().find(one.receiver.consumer())).hasValue("ann paused it: the bank is closed");

        inTransaction(
                other,
                (pauses, tx) ->
                        assertThat(pauses.resume(tx, other.receiver.consumer())).isTrue());
        other.work();
        assertThat(effects()).containsExactly("m1");
    }

    @Test
    void peoplePauseAndResumeOncePerOperation() {
        AdminBench admin = new AdminBench(database, clock, CAUTIOUS, DatabaseTest::effect);
        Operation lunch = new Operation("op-1", "ann", "lunch");

        assertThat(admin.admin.pause("billing", lunch)).isTrue();
        assertThat(admin.admin.pause("billing", lunch)).as("the answer again").isTrue();
        assertThat(admin.admin.pause("billing", new Operation("op-2", "bob", "too")))
                .isFalse();
        assertThat(admin.admin.paused("billing")).hasValue("ann paused it: lunch");
        admin.node.store(message("m1"));
        assertThat(admin.node.claim(1, 10)).isEmpty();
        assertThatThrownBy(() -> admin.admin.resume("billing", lunch)).hasMessageContaining("was already used");

        assertThat(admin.admin.resume("billing", new Operation("op-3", "ann", "back")))
                .isTrue();
        assertThat(admin.admin.paused("billing")).isEmpty();
        assertThat(admin.node.claim(1, 10)).hasSize(1);
    }

    @Test
    void anOperationThatIsAskedForAgainIsAnsweredAndNotToldAgain() {
        AdminBench admin = new AdminBench(database, clock, CAUTIOUS, DatabaseTest::effect);
        Operation lunch = new Operation("op-1", "ann", "lunch");
        admin.admin.pause("billing", lunch);
        admin.admin.resume("billing", new Operation("op-2", "ann", "back"));

        assertThat(admin.admin.pause("billing", lunch)).as("the answer of then").isTrue();
        assertThat(admin.admin.paused("billing")).as("what is now").isEmpty();
        assertThat(admin.seen.all(InboxEvent.OperationPerformed.class))
                .extracting(InboxEvent.OperationPerformed::command)
                .containsExactly(Command.PAUSE, Command.RESUME);
    }

    @Test
    void aPauseThatMeetsADeadlockOrARowThatVanishesIsRunAgain() {
        AdminBench admin = new AdminBench(database, clock, CAUTIOUS, DatabaseTest::effect);
        Operation lunch = new Operation("op-1", "ann", "lunch");
        AtomicBoolean contended = new AtomicBoolean(true);
        InboxAdmin contending = admin.admin(commands -> once(contended, commands, "lockGate", () -> {
            throw new TransactionFailed(TransactionFailed.Kind.CONTENDED, null);
        }));
        assertThat(contending.pause("billing", lunch)).isTrue();
        assertThat(contended).isFalse();

        AtomicBoolean vanished = new AtomicBoolean(true);
        InboxAdmin forgetting = admin.admin(commands -> once(vanished, commands, "find", Optional::empty));
        assertThat(forgetting.pause("billing", lunch)).as("asked again").isTrue();
        assertThat(vanished).isFalse();
        assertThat(admin.admin.paused("billing")).hasValue("ann paused it: lunch");
    }

    /** The first call of a method answers something else. */
    private static CommandStore once(AtomicBoolean first, CommandStore real, String name, Supplier<Object> instead) {
        return (CommandStore) Proxy.newProxyInstance(
                CommandStore.class.getClassLoader(), new Class<?>[] {CommandStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals(name) && first.getAndSet(false)) {
                        return instead.get();
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Test
    void theReasonOfAPauseIsKeptAsLongAsThatOfAnyOperation() {
        AdminBench admin = new AdminBench(database, clock, CAUTIOUS, DatabaseTest::effect);
        String reason = "x".repeat(2_000);

        assertThat(admin.admin.pause("billing", new Operation("op", "ann", reason)))
                .isTrue();
        assertThat(admin.admin.paused("billing")).hasValue("ann paused it: " + reason);
    }

    @Test
    void aConsumerThatNobodyHasSeenIsNotPaused() {
        AdminBench admin = new AdminBench(database, clock, CAUTIOUS, DatabaseTest::effect);

        assertThat(admin.admin.paused("nobody")).isEmpty();
        assertThatThrownBy(() -> admin.admin.pause("nobody", AdminBench.operation("op")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Unknown consumer nobody");
    }

    @Test
    void tooManyFailuresStopTheNodeForAWhileAndThenItGoesOn() {
        Bench one = bench(CAUTIOUS);
        one.store(message("ok"));
        one.work();
        broken.set(true);
        one.store(message("m1"), message("m2"), message("m3"));
        one.work();

        assertThat(one.receiver.valve().whyNotToHandle()).isPresent();
        assertThat(one.receiver.receive(
                        List.of(message("m4")), message -> new HandlerTask.Single(DatabaseTest::effect)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.BUSY);
        assertThat(one.store(message("m5"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        assertThat(seen.all(InboxEvent.Paused.class))
                .extracting(InboxEvent.Paused::cause)
                .containsExactly("FAILURE_RATE");

        clock.advance(PAUSE);
        broken.set(false);
        assertThat(one.receiver.valve().whyNotToHandle()).isEmpty();
        one.work();
        assertThat(effects()).containsExactlyInAnyOrder("ok", "m1", "m2", "m3", "m5");
    }

    @Test
    void fewFailuresStopNobody() {
        Bench one = bench(CAUTIOUS);
        broken.set(true);
        one.store(message("m1"), message("m2"), message("m3"));
        one.work();

        assertThat(one.receiver.valve().whyNotToHandle()).isEmpty();
    }

    @Test
    void theBrokerIsToldWhenTheDatabaseIsAwayAndWhenItIsBack() {
        AtomicBoolean down = new AtomicBoolean();
        Flow flow = new Flow();
        try (Inbox inbox =
                Inbox.on(unreliable(database.dataSource(), down)).listener(seen).start()) {
            Subscription billing = inbox.subscribe("paused")
                    // An outage between claim and load costs a lease.
                    .policy(ConsumerPolicy.defaults()
                            .mode(Mode.STORED)
                            .work(WorkPolicy.defaults().lease(Duration.ofSeconds(1))))
                    .on("OrderPlaced", String.class, (text, context) -> effect(context))
                    .flow(flow);
            assertThat(billing.handle(message("m1")).kind()).isEqualTo(Receipt.Kind.STORED);

            down.set(true);
            assertThatThrownBy(() -> billing.handle(message("m2"))).isInstanceOf(StoreUnavailableException.class);
            assertThat(flow.told).hasSize(1).first().asString().startsWith("pause: the database does not answer");

            down.set(false);
            seen.await(event -> event instanceof InboxEvent.Resumed, 1, "resumed");
            flow.awaitResume();
            assertThat(billing.handle(message("m2")).kind()).isEqualTo(Receipt.Kind.STORED);
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 2);
        }
    }

    @Test
    void aNodeNoticesThatSomebodyElsePausedItsConsumer() {
        Flow flow = new Flow();
        Message late = message("late");
        try (Inbox inbox = Inbox.on(database.dataSource()).listener(seen).start()) {
            Subscription direct = inbox.subscribe("billing")
                    .on("OrderPlaced", String.class, (text, context) -> effect(context))
                    .flow(flow)
                    .start();
            Bench elsewhere = bench(ConsumerPolicy.defaults());
            inTransaction(elsewhere, (pauses, tx) -> pauses.pause(tx, elsewhere.receiver.consumer(), "ann", "lunch"));
            seen.await(event -> event instanceof InboxEvent.Paused, 1, "paused");

            assertThat(direct.handle(late).kind()).isEqualTo(Receipt.Kind.BUSY);
            inTransaction(elsewhere, (pauses, tx) -> pauses.resume(tx, elsewhere.receiver.consumer()));
            seen.await(event -> event instanceof InboxEvent.Resumed, 1, "resumed");
            assertThat(direct.handle(late).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        }
    }

    private static DataSource unreliable(DataSource real, AtomicBoolean down) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (down.get() && method.getName().equals("getConnection")) {
                        throw new SQLException("connection refused", "08001");
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** What a broker was told. */
    private static final class Flow implements FlowControl {

        private final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public synchronized void pause(String why) {
            told.add("pause: " + why);
            notifyAll();
        }

        @Override
        public synchronized void resume() {
            told.add("resume");
            notifyAll();
        }

        synchronized void awaitResume() {
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            try {
                while (!told.contains("resume")) {
                    long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
                    if (left <= 0) {
                        throw new AssertionError("the broker was not told to resume within a minute, only " + told);
                    }
                    wait(left);
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
