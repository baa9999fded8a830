// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.InboxSchema;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.Delivery;
import io.idembox.testkit.guarantee.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A consumer under test with a broker in front of it: delivers messages, and redelivers them until they are
 * acknowledged.
 *
 * <pre>{@code
 * InboxHarness inbox = InboxHarness.on(dataSource).consumer("billing").handler(Billing::charge).start();
 *
 * inbox.deliverTwice(placed("evt-456"));
 *
 * assertThat(ledger.rows("42")).hasSize(1);
 * assertThat(inbox.duplicates()).hasSize(1);
 * }</pre>
 *
 * <p>It never sleeps: time is a {@link ManualClock}, and loops are bounded. With {@link CrashWindows} the same harness
 * crashes the process at every step. For one test thread.
 */
public final class InboxHarness implements AutoCloseable {

    private final Route route;
    private final Broker broker;
    private final Builder options;
    private final DataSource database;

    /** @param database for assertions: never the faulty one of the route */
    InboxHarness(Route route, Broker broker, Builder options, DataSource database) {
        this.route = route;
        this.broker = broker;
        this.options = options;
        this.database = database;
    }

    /** The way of messages from the broker to the consumer. */
    interface Route extends AutoCloseable {

        /** Observes the commits of the inbox; null where faults make them uncertain. */
        default @Nullable CommitWatch commits() {
            return null;
        }

        List<Receipt> deliver(List<Message> messages);

        List<Receipt> redeliver(List<Message> messages);

        @Override
        void close();
    }

    /** Starts a harness builder on the database of the DataSource. The inbox tables are created if they are missing. */
    public static Builder on(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * Sends the messages and delivers them in one poll. Unacknowledged messages stay at the broker.
     *
     * <p>In a {@linkplain CrashWindows crash window} it also meets the fault, redelivers until everything is
     * acknowledged, and then delivers all messages once more as late duplicates.
     *
     * @return the receipts, in the order of the messages
     */
    public List<Receipt> deliver(Message... messages) {
        List<Message> all = List.of(messages);
        broker.send(all);
        return route.deliver(all);
    }

    /** Delivers a message twice. */
    public List<Receipt> deliverTwice(Message message) {
        List<Receipt> receipts = new ArrayList<>(deliver(message));
        receipts.addAll(deliver(message));
        return receipts;
    }

    /**
     * Redelivers unacknowledged messages until all are acknowledged or the limit of rounds is reached. Between rounds
     * the clock advances by the pause that the receipts ask for.
     *
     * @return the last receipt of each, in the order in which they were sent; empty when no message was
     *     unacknowledged
     */
    public List<Receipt> redeliver() {
        List<Message> waiting = broker.waiting();
        Receipts last = new Receipts();
        for (int round = 0; round < options.redeliveries && !broker.waiting().isEmpty(); round++) {
            List<Message> again = broker.waiting();
            List<Receipt> receipts = route.redeliver(again);
            last.add(again, receipts);
            options.clock.advance(Receipts.pause(receipts));
        }
        return last.of(waiting);
    }

    /** Delivers every message sent so far once more in one poll, as late duplicates. */
    public List<Receipt> redeliverEverything() {
        List<Message> everything = broker.sent();
        broker.send(everything);
        return route.redeliver(everything);
    }

    /**
     * Fails if the application's tables are changed outside the inbox's transactions: by a repository with its own
     * connection, an outer or a second transaction of a framework, or another thread. Such an effect does not commit
     * together with the ledger row of its message.
     *
     * <pre>{@code
     * inbox.assertSameTransaction(() -> inbox.deliver(placed("evt-456")));
     * }</pre>
     *
     * <p>It reads the tables, so any writer and any DataSource is found: just before the inbox commits, no other
     * connection may see new rows, and at the end there may be only rows that the inbox committed. It reads all rows of
     * the connection's schema except the tables of the inbox, so it is for tests with few rows, and needs one more
     * connection. Other writers during the call, the test itself included, are found too; writes after it has returned
     * are not. With {@link io.idembox.SameTransaction#watch} around the DataSource the error also names the line.
     *
     * @param delivering delivers the messages, and waits for threads that the handler started
     * @throws AssertionError names the tables
     */
    public void assertSameTransaction(Runnable delivering) {
        CommitWatch commits = route.commits();
        if (commits == null) {
            throw new IllegalStateException(
                    "assertSameTransaction does not work in a crash window, which detects writes outside"
                            + " the transaction by itself: their rows are doubled or missing.");
        }
        List<String> found = commits.check(delivering);
        List<String> lines = options.outsideWrites.stream()
                .map(event -> event.what() + " for " + event.id() + " at " + event.where())
                .toList();
        if (!found.isEmpty() || !lines.isEmpty()) {
            throw new AssertionError("Consumer " + options.consumer + " does not write in the inbox's transaction. "
                    + String.join(" ", found)
                    + (lines.isEmpty()
                            ? " To find the line, give SameTransaction.watch(dataSource) to the repositories and to"
                                    + " the harness."
                            : " Executed on another connection: " + String.join("; ", lines) + ".")
                    + " Write through ctx.connection(); name tables that are written elsewhere on purpose with"
                    + " writtenApart(...).");
        }
    }

    /** The clock of the inbox. */
    public ManualClock clock() {
        return options.clock;
    }

    /** All messages in the order in which they were first sent. */
    public List<Message> sent() {
        return broker.sent();
    }

    /** The messages that were answered DUPLICATE, once per such receipt. */
    public List<Message> duplicates() {
        return broker.duplicates();
    }

    /** The messages that were acknowledged. */
    public List<Message> acknowledged() {
        return broker.acknowledged();
    }

    /** The messages that the broker still holds. */
    public List<Message> unacknowledged() {
        return broker.waiting();
    }

    /** The messages sent and acknowledged so far; add the effects found by the test. */
    public History.Builder history() {
        return History.builder().sent(broker.sent()).acknowledged(broker.acknowledged());
    }

    /** The database, for assertions. It is never faulty. */
    public DataSource dataSource() {
        return database;
    }

    /** Closes the inbox. The DataSource stays open. */
    @Override
    public void close() {
        route.close();
    }

    /** Describes the consumer under test. Not thread-safe. */
    public static final class Builder {

        final DataSource dataSource;
        String consumer = "test";
        String tablePrefix = InboxSchema.DEFAULT_PREFIX;

        @Nullable
        InboxHandler work;

        @Nullable
        Function<Inbox, Subscription> subscription;

        final List<InboxEvent.WriteOutsideTransaction> outsideWrites = new CopyOnWriteArrayList<>();
        final Set<String> ignoredTables = new HashSet<>();
        ManualClock clock = ManualClock.create();
        int redeliveries = 20;
        private @Nullable ConsumerPolicy policy;
        private Consumer<Inbox.Builder> settings = inbox -> {};

        private Builder(DataSource dataSource) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        }

        /** The consumer's name. Default: {@code test}. */
        public Builder consumer(String name) {
            consumer = Objects.requireNonNull(name, "name");
            return this;
        }

        /** The consumer's policy. Default: {@link ConsumerPolicy#defaults()}. */
        public Builder policy(ConsumerPolicy newPolicy) {
            policy = Objects.requireNonNull(newPolicy, "newPolicy");
            return this;
        }

        /** One handler for all messages. */
        public Builder handler(InboxHandler handler) {
            work = Objects.requireNonNull(handler, "handler");
            subscription = null;
            return this;
        }

        /** Handlers by type: {@code inbox -> inbox.subscribe("billing").on(…)}, as the application registers them. */
        public Builder subscription(Function<Inbox, Subscription> newSubscription) {
            subscription = Objects.requireNonNull(newSubscription, "newSubscription");
            work = null;
            return this;
        }

        /** The prefix of the inbox table names. Default: {@code idembox_}. */
        public Builder tablePrefix(String prefix) {
            tablePrefix = Objects.requireNonNull(prefix, "prefix");
            return this;
        }

        /** Further settings of the inbox: a codec, listeners, a schema. */
        public Builder settings(Consumer<Inbox.Builder> moreSettings) {
            settings = settings.andThen(moreSettings);
            return this;
        }

        /**
         * Tables that handlers write outside the inbox's transaction on purpose; {@link
         * InboxHarness#assertSameTransaction} ignores them.
         */
        public Builder writtenApart(String... tables) {
            for (String table : tables) {
                ignoredTables.add(table.toLowerCase(Locale.ROOT));
            }
            return this;
        }

        /** The maximum number of rounds of {@link InboxHarness#redeliver}. Default: 20. */
        public Builder redeliveries(int atMost) {
            if (atMost < 1) {
                throw new IllegalArgumentException("redeliveries must be at least 1, was " + atMost);
            }
            redeliveries = atMost;
            return this;
        }

        /** The clock of the inbox. Default: a new {@link ManualClock}. */
        public Builder clock(ManualClock newClock) {
            clock = Objects.requireNonNull(newClock, "newClock");
            return this;
        }

        /** Starts the inbox, see {@link Inbox.Builder#start()}. */
        public InboxHarness start() {
            Broker broker = new Broker();
            CommitWatch commits = new CommitWatch(dataSource, tablePrefix, Set.copyOf(ignoredTables));
            Node node = node(commits.dataSource(), broker, UnaryOperator.identity(), Duration.ofSeconds(1));
            return new InboxHarness(new Direct(node, commits), broker, this, dataSource);
        }

        Node node(Broker broker, UnaryOperator<Delivery> wire, Duration frontDoorWait) {
            return node(dataSource, broker, wire, frontDoorWait);
        }

        private Node node(DataSource process, Broker broker, UnaryOperator<Delivery> wire, Duration frontDoorWait) {
            if (work == null && subscription == null) {
                throw new IllegalStateException(
                        "The harness has no handler. Give it one with handler(...) or subscription(...).");
            }
            Inbox.Builder inbox = Inbox.on(process)
                    .createSchema()
                    .listener(this::listen)
                    .tablePrefix(tablePrefix)
                    .clock(clock)
                    .lockTimeout(frontDoorWait);
            if (policy != null) {
                inbox.consumer(consumer, policy);
            }
            settings.accept(inbox);
            return new Node(inbox.start(), this, broker, wire);
        }

        private void listen(InboxEvent event) {
            if (event instanceof InboxEvent.WriteOutsideTransaction written) {
                outsideWrites.add(written);
            }
        }
    }

    /** The route without faults. */
    private record Direct(Node node, CommitWatch commits) implements Route {

        @Override
        public List<Receipt> deliver(List<Message> messages) {
            return node.receive(messages);
        }

        @Override
        public List<Receipt> redeliver(List<Message> messages) {
            return node.receive(messages);
        }

        @Override
        public void close() {
            node.close();
        }
    }
}
