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
 * A consumer under test with a broker in front of it: delivers messages as brokers do, again and again until they are
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
 * <p>Nothing here sleeps: time is a {@link ManualClock}, and loops are bounded. With {@link CrashWindows} the same harness
 * lets the process die at every step. For one test thread.
 */
public final class InboxHarness implements AutoCloseable {

    private final Route route;
    private final Broker broker;
    private final Builder options;
    private final DataSource database;

    /** @param database for assertions: the plain one, whatever the route does to it */
    InboxHarness(Route route, Broker broker, Builder options, DataSource database) {
        this.route = route;
        this.broker = broker;
        this.options = options;
        this.database = database;
    }

    /** What happens to the messages of one delivery, and of a redelivery. */
    interface Route extends AutoCloseable {

        /** Who sees the commits of the inbox; null where faults make them uncertain. */
        default @Nullable CommitWatch commits() {
            return null;
        }

        List<Receipt> deliver(List<Message> messages);

        List<Receipt> redeliver(List<Message> messages);

        @Override
        void close();
    }

    /** Begins a harness in the database of the DataSource. The inbox tables are created if they are missing. */
    public static Builder on(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * A producer sends the messages and the broker delivers them, all in one poll. What is not acknowledged stays at the
     * broker.
     *
     * <p>In a {@linkplain CrashWindows crash window} it also meets the fault, delivers again until everything is
     * acknowledged, and then delivers everything once more as late duplicates.
     *
     * @return the answers, in the order of the messages
     */
    public List<Receipt> deliver(Message... messages) {
        List<Message> all = List.of(messages);
        broker.send(all);
        return route.deliver(all);
    }

    /** The broker delivers a message, and then once more. */
    public List<Receipt> deliverTwice(Message message) {
        List<Receipt> receipts = new ArrayList<>(deliver(message));
        receipts.addAll(deliver(message));
        return receipts;
    }

    /**
     * The broker delivers what was not acknowledged, again and again until all of it is, or the bound is reached. Between
     * rounds the clock moves by the pause the receipts ask for.
     *
     * @return the last answer for each, in the order they were sent; empty when nothing was waiting
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

    /** Late duplicates: the broker delivers every message that was ever sent once more, in one poll. */
    public List<Receipt> redeliverEverything() {
        List<Message> everything = broker.sent();
        broker.send(everything);
        return route.redeliver(everything);
    }

    /**
     * Fails if anything but the transactions of the inbox changes tables of the application meanwhile: a repository with a
     * connection of its own, an outer or a second transaction of a framework, another thread. Such an effect and the mark
     * of its message commit apart.
     *
     * <pre>{@code
     * inbox.assertSameTransaction(() -> inbox.deliver(placed("evt-456")));
     * }</pre>
     *
     * <p>It looks at the tables, so it does not matter who wrote, and by which DataSource: just before the inbox commits,
     * nobody else may see anything new, and in the end there may be nothing but what the inbox committed. All rows of the
     * connection's schema are read for that, save the tables of the inbox, so it is for tests with few rows; and it needs
     * one more connection. Whatever else writes meanwhile, the test itself included, is found too; who writes after this
     * has returned is not. With {@link io.idembox.SameTransaction#watch} around the DataSource it also says which line it was.
     *
     * @param delivering what delivers, and waits for threads of the handler's own if there are some
     * @throws AssertionError names the tables
     */
    public void assertSameTransaction(Runnable delivering) {
        CommitWatch commits = route.commits();
        if (commits == null) {
            throw new IllegalStateException("assertSameTransaction is for ordinary tests. A crash window finds what is"
                    + " written apart by itself: it is there twice, or not at all.");
        }
        List<String> found = commits.during(delivering);
        List<String> lines = options.elsewhere.stream()
                .map(event -> event.what() + " for " + event.id() + " at " + event.where())
                .toList();
        if (!found.isEmpty() || !lines.isEmpty()) {
            throw new AssertionError("Consumer " + options.consumer + " does not write in the inbox's transaction. "
                    + String.join(" ", found)
                    + (lines.isEmpty()
                            ? " SameTransaction.watch(dataSource), given to the repositories and to the harness, says"
                                    + " which line it was."
                            : " Executed on another connection: " + String.join("; ", lines) + ".")
                    + " Write through ctx.connection(); name tables that are meant to be written apart with"
                    + " writtenApart(...).");
        }
    }

    /** The clock the inbox goes by. */
    public ManualClock clock() {
        return options.clock;
    }

    /** All messages in the order they were sent first. */
    public List<Message> sent() {
        return broker.sent();
    }

    /** What was answered DUPLICATE, once for every such answer. */
    public List<Message> duplicates() {
        return broker.duplicates();
    }

    /** What the broker was told to forget. */
    public List<Message> acknowledged() {
        return broker.acknowledged();
    }

    /** What the broker still has. */
    public List<Message> unacknowledged() {
        return broker.waiting();
    }

    /** What was sent and acknowledged so far; add the effects you find. */
    public History.Builder history() {
        return History.builder().sent(broker.sent()).acknowledged(broker.acknowledged());
    }

    /** The database, for assertions. It is never faulty. */
    public DataSource dataSource() {
        return database;
    }

    /** Ends the inbox. The DataSource stays open. */
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

        final List<InboxEvent.WriteOutsideTransaction> elsewhere = new CopyOnWriteArrayList<>();
        final Set<String> apart = new HashSet<>();
        ManualClock clock = ManualClock.create();
        int redeliveries = 20;
        private @Nullable ConsumerPolicy policy;
        private Consumer<Inbox.Builder> settings = inbox -> {};

        private Builder(DataSource dataSource) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        }

        /** The consumer's name; {@code test} without it. */
        public Builder consumer(String name) {
            consumer = Objects.requireNonNull(name, "name");
            return this;
        }

        /** How the consumer behaves; {@link ConsumerPolicy#defaults()} without it. */
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

        /** What the names of the inbox tables begin with; {@code idembox_} without it. */
        public Builder tablePrefix(String prefix) {
            tablePrefix = Objects.requireNonNull(prefix, "prefix");
            return this;
        }

        /** Whatever else the inbox needs: a codec, listeners, a schema. */
        public Builder settings(Consumer<Inbox.Builder> moreSettings) {
            settings = settings.andThen(moreSettings);
            return this;
        }

        /** Tables that handlers write apart on purpose; {@link InboxHarness#assertSameTransaction} leaves them alone. */
        public Builder writtenApart(String... tables) {
            for (String table : tables) {
                apart.add(table.toLowerCase(Locale.ROOT));
            }
            return this;
        }

        /** How often {@link InboxHarness#redeliver} tries; 20 times without it. */
        public Builder redeliveries(int atMost) {
            if (atMost < 1) {
                throw new IllegalArgumentException("redeliveries must be at least 1, was " + atMost);
            }
            redeliveries = atMost;
            return this;
        }

        /** A clock of your own. */
        public Builder clock(ManualClock newClock) {
            clock = Objects.requireNonNull(newClock, "newClock");
            return this;
        }

        /** Starts the inbox, see {@link Inbox.Builder#start()}. */
        public InboxHarness start() {
            Broker broker = new Broker();
            CommitWatch commits = new CommitWatch(dataSource, tablePrefix, Set.copyOf(apart));
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
                elsewhere.add(written);
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
