// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.guarantee.HandledOnce;
import io.idembox.testkit.guarantee.InOrderPerKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** Test classes as users write them, correct and broken ones; {@link CrashWindowsDbTest} runs them. */
final class CrashWindowsSamples {

    private CrashWindowsSamples() {}

    static Message placed(String id) {
        return Message.of(id, "OrderPlaced", "{\"orderId\":\"42\"}")
                .from("/orders")
                .keyed("42");
    }

    static DataSource h2() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return dataSource;
    }

    /** Shared parts of the samples. */
    abstract static class Sample implements CrashWindowsSetup {

        @SuppressWarnings("NullAway.Init") // prepare is called first
        Ledger ledger;

        @Override
        public void prepare(DataSource database) throws SQLException {
            ledger = new Ledger(database);
        }
    }

    static class SoundOnPostgres extends Sample {

        @Override
        public InboxHarness.Builder inbox(DataSource process) {
            return InboxHarness.on(process).consumer("billing").handler(Ledger::charge);
        }

        @CrashWindows
        void chargesOnce(InboxHarness inbox) {
            inbox.deliver(placed("evt-456"));

            assertThat(ledger.charges()).containsExactly("evt-456");
            assertThat(inbox.unacknowledged()).isEmpty();
        }
    }

    static class SoundOnH2 extends SoundOnPostgres {

        @Override
        public DataSource database() {
            return h2();
        }
    }

    /** A batch of three, full recording, deferred writes, a second delivery, and a custom table prefix. */
    static class SoundBatch extends Sample {

        @Override
        public InboxHarness.Builder inbox(DataSource process) {
            return InboxHarness.on(process)
                    .tablePrefix("shop_")
                    .policy(ConsumerPolicy.defaults().recording(Recording.FULL))
                    .handler(context -> context.later(
                                    "insert into charge (message_id) values (?)",
                                    context.id().id())
                            .expect(1));
        }

        @CrashWindows
        void chargesInOrder(InboxHarness inbox, CrashWindow window) {
            inbox.deliver(placed("1"), placed("2"), placed("3"));
            inbox.deliver(placed("4"));

            assertThat(ledger.charges()).as(window.toString()).hasSize(4);
            var history = inbox.history()
                    .effects(ledger.charges())
                    .afterLateDuplicates()
                    .build();
            new HandledOnce().and(new InOrderPerKey()).check(history);
        }
    }

    static class SoundBatchOnH2 extends SoundBatch {

        @Override
        public DataSource database() {
            return h2();
        }
    }

    /** Handlers by type; the first attempt of every message fails and the broker redelivers it. */
    static class SoundRetry extends Sample {

        private final Map<String, Integer> tries = new ConcurrentHashMap<>();

        @Override
        public InboxHarness.Builder inbox(DataSource process) {
            return InboxHarness.on(process)
                    .subscription(inbox -> inbox.subscribe("billing")
                            .retry(RetryPolicy.exponential(5, Duration.ofMinutes(1), Duration.ofMinutes(5))
                                    .by(RetryBy.REDELIVERY))
                            .on("OrderPlaced", String.class, (payload, context) -> failFirst(context)));
        }

        private void failFirst(HandlerContext context) throws SQLException {
            Ledger.charge(context);
            if (tries.merge(context.id().id(), 1, Integer::sum) == 1) {
                throw new IllegalStateException("not yet");
            }
        }

        @CrashWindows
        void chargesOnce(InboxHarness inbox) {
            inbox.deliver(placed("1"));

            assertThat(ledger.charges()).containsExactly("1");
        }
    }

    static class SoundRetryWithoutPauses extends SoundRetry {

        @Override
        public DataSource database() {
            return h2();
        }

        @Override
        @CrashWindows(faults = {Fault.Kind.GONE, Fault.Kind.CONNECTION_LOST})
        void chargesOnce(InboxHarness inbox) {
            super.chargesOnce(inbox);
        }
    }

    /** Writes through its own connection: the rows stay when the inbox's transaction rolls back. */
    static class OwnConnection extends Sample {

        @Override
        public InboxHarness.Builder inbox(DataSource process) {
            return InboxHarness.on(process).handler(context -> {
                try (Connection own = process.getConnection()) {
                    Ledger.charge(own, context.id().id());
                }
            });
        }

        @CrashWindows
        void chargesOnce(InboxHarness inbox) {
            inbox.deliver(placed("evt-456"));

            assertThat(ledger.charges()).containsExactly("evt-456");
        }
    }

    static class OwnConnectionOnH2 extends OwnConnection {

        @Override
        public DataSource database() {
            return h2();
        }
    }

    /** Calls another system, which is never rolled back. */
    static class RemoteCall extends Sample {

        private final List<String> remote = new CopyOnWriteArrayList<>();

        @Override
        public InboxHarness.Builder inbox(DataSource process) {
            return InboxHarness.on(process).handler(context -> {
                remote.add(context.id().id());
                Ledger.charge(context);
            });
        }

        @CrashWindows(faults = Fault.Kind.GONE)
        void callsOnce(InboxHarness inbox) {
            inbox.deliver(placed("evt-456"));

            assertThat(remote).containsExactly("evt-456");
        }
    }

    /** Deletes its own ledger row, so the inbox acknowledges a message that it has not recorded. */
    static class Forgetful extends Sample {

        @Override
        public InboxHarness.Builder inbox(DataSource process) {
            InboxHandler forget = context -> {
                try (Statement statement = context.connection().createStatement()) {
                    statement.execute("delete from idembox_ledger");
                }
            };
            return InboxHarness.on(process).handler(forget);
        }

        @CrashWindows
        void isHandled(InboxHarness inbox) {
            inbox.deliver(placed("evt-456"));
        }
    }

    /** Takes different steps every time. */
    static class Unrepeatable extends Sample {

        @Override
        public InboxHarness.Builder inbox(DataSource process) {
            return InboxHarness.on(process).handler(context -> {
                if (context.message().headers().text("first").isPresent()) {
                    Ledger.charge(context);
                }
            });
        }

        private static Message changing(CrashWindow window) {
            return window.plan().isEmpty() ? placed("1").header("first", "yes") : placed("1");
        }

        @CrashWindows(only = "16/after/PAUSED")
        void missesItsWindow(InboxHarness inbox, CrashWindow window) {
            inbox.deliver(changing(window));
        }

        @CrashWindows(only = "14/before/PAUSED")
        void hasAnotherWindow(InboxHarness inbox, CrashWindow window) {
            inbox.deliver(changing(window));
        }
    }

    static class WithoutSetup {

        @CrashWindows
        void chargesOnce(InboxHarness inbox) {
            inbox.deliver(placed("evt-456"));
        }
    }
}
