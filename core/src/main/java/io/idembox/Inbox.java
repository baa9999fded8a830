// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.admin.InboxAdmin;
import io.idembox.audit.AuditKey;
import io.idembox.audit.AuditTrail;
import io.idembox.event.InboxListener;
import io.idembox.internal.DurationLimits;
import io.idembox.internal.InboxRuntime;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Receiver;
import io.idembox.policy.AuditPolicy;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.Policies;
import io.idembox.policy.RetryBy;
import io.idembox.spi.PayloadCodec;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The consumer inbox: every message is recorded, and its effect happens once per consumer, in the same database
 * transaction as its ledger row.
 *
 * <pre>{@code
 * try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
 *     Message placed = Message.of("evt-456", "OrderPlaced", "{\"orderId\":\"42\",\"cents\":5000}").from("/orders");
 *     inbox.handle("billing", placed, ctx -> charge(ctx.connection(), "42", 5000));   // COMPLETED
 *     inbox.handle("billing", placed, ctx -> charge(ctx.connection(), "42", 5000));   // DUPLICATE
 * }
 * }</pre>
 *
 * <p>A {@link Receipt} that {@linkplain Receipt#acknowledges() acknowledges} is returned only after the outcome it
 * reports is committed. Thread-safe.
 */
public final class Inbox implements AutoCloseable {

    private final InboxRuntime inboxRuntime;
    private final Set<String> subscribed = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private Inbox(InboxRuntime inboxRuntime) {
        this.inboxRuntime = inboxRuntime;
    }

    /**
     * Returns a builder for an inbox in the database of the DataSource. It must be the database that the handlers write
     * to.
     */
    public static Builder on(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * Handles a message in its own transaction: records it, runs the handler, commits both. Acknowledge the delivery
     * only if {@link Receipt#acknowledges()} is true.
     *
     * <p>A {@link VirtualMachineError} of the handler other than {@link StackOverflowError}, such as
     * {@link OutOfMemoryError}, is thrown unchanged: the transaction is rolled back, no attempt is counted, and nothing
     * may be acknowledged.
     *
     * @throws StoreUnavailableException when the database is unavailable; do not acknowledge, deliver the message again
     * @throws InboxConfigurationException when the DataSource returns a connection that is inside a transaction of the
     *     application; nothing was handled
     * @throws ConsumerStoppedException when the consumer is stopped until the inbox is started again; do not
     *     acknowledge
     */
    public Receipt handle(String consumer, Message message, InboxHandler handler) {
        return handleAll(consumer, List.of(message), handler).get(0);
    }

    /**
     * Handles many messages in one transaction, each with its own outcome. Returns one receipt per message, in order.
     * Throws the same exceptions as {@link #handle(String, Message, InboxHandler)}; in that case no message has a
     * receipt.
     */
    public List<Receipt> handleAll(String consumer, List<Message> messages, InboxHandler handler) {
        return adHoc(consumer).receive(messages, message -> new HandlerTask.Single(handler));
    }

    /**
     * Handles a message in the caller's transaction, for jOOQ, Jdbi or plain JDBC: writes the ledger row, then runs the
     * handler. The caller commits and then acknowledges the delivery. A rollback by the caller also removes the ledger
     * row. A new consumer or source is registered on a second connection, so the pool needs at least two.
     *
     * @throws Exception any exception of the handler; the caller must then roll back
     */
    public HandleResult handle(Connection connection, String consumer, Message message, InboxHandler handler)
            throws Exception {
        return adHoc(consumer).handleIn(connection, message, handler);
    }

    /**
     * Stores a message for the consumer's workers, on this or another node. Once it returns STORED, the message is
     * durable and the delivery can be acknowledged.
     */
    public Receipt store(String consumer, Message message) {
        return store(consumer, List.of(message)).get(0);
    }

    /** Stores many messages in one transaction. Returns one receipt per message, in order. */
    public List<Receipt> store(String consumer, List<Message> messages) {
        checkOpen();
        List<Receipt> receipts = inboxRuntime.receiverOf(consumer).store(messages);
        inboxRuntime.stored(consumer, receipts);
        return receipts;
    }

    /**
     * Runs maintenance for a consumer (lease reaping, retention) without handling messages. For a process whose
     * database user may delete rows when the users of the applications may not. Nodes that handle messages of a
     * consumer already run it, as far as their database user is allowed to.
     */
    public void runMaintenance(String consumer) {
        checkOpen();
        inboxRuntime.receiverOf(consumer);
    }

    /**
     * Subscribes a consumer whose handlers are chosen by event type and version. Each consumer can be subscribed once.
     */
    public Subscription subscribe(String consumer) {
        checkOpen();
        if (!subscribed.add(consumer)) {
            throw new InboxConfigurationException("Consumer " + consumer + " is already subscribed. Register all"
                    + " its handlers on one subscription, or give the second consumer another name.");
        }
        return new Subscription(consumer, inboxRuntime, this::checkOpen);
    }

    /** The outbox: sends messages from transactions of the application. */
    public Outbox outbox() {
        checkOpen();
        return new Outbox(inboxRuntime, this::checkOpen);
    }

    /** The operator API: inspect messages, explain their state, and redrive, park, discard or restore them. */
    public InboxAdmin admin() {
        checkOpen();
        return inboxRuntime.admin();
    }

    /** The tamper-evident trail of operations performed through {@link #admin}. */
    public AuditTrail audit() {
        checkOpen();
        return inboxRuntime.audit();
    }

    private Receiver adHoc(String consumer) {
        checkOpen();
        ConsumerPolicy policy = inboxRuntime.policyOf(consumer);
        if (policy.retryBy(false) == RetryBy.INBOX) {
            throw new InboxConfigurationException("Consumer " + consumer + " has " + whyInboxRetries(policy)
                    + ", so the inbox must be able to call its handler again later, which handle(...) does not support."
                    + " Register a handler with subscribe(\"" + consumer
                    + "\").on(...), or use mode: direct, ordering: none and retry.by: redelivery.");
        }
        return inboxRuntime.receiver(consumer, policy);
    }

    private static String whyInboxRetries(ConsumerPolicy policy) {
        if (policy.retry().by() == RetryBy.INBOX) {
            return "retry.by: inbox";
        }
        return policy.mode() == Mode.STORED
                ? "mode: stored"
                : "ordering: "
                        + policy.ordering().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private void checkOpen() {
        if (closed) {
            throw new InboxConfigurationException("This inbox is closed. Start a new one.");
        }
    }

    /** Stops sources, workers and relays. Does not close the DataSource. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            inboxRuntime.close();
        }
    }

    /** Collects the settings of an inbox. Not thread-safe. */
    public static final class Builder {

        private final DataSource dataSource;
        private final Map<String, ConsumerPolicy> policies = new HashMap<>();
        private final Map<String, String> consumerAlias = new HashMap<>();
        private final Map<String, OutboxPolicy> outboxes = new LinkedHashMap<>();
        private final List<InboxListener> listeners = new ArrayList<>();
        private @Nullable DataSource notificationDataSource;
        private @Nullable String schema;
        private String prefix = InboxSchema.DEFAULT_PREFIX;
        private boolean create;
        private boolean unsafeDurabilityAllowed;
        private Duration lockTimeout = Duration.ofSeconds(1);
        private @Nullable PayloadCodec codec;
        private @Nullable InstantSource clock;
        private @Nullable AuditKey auditKey;

        private Builder(DataSource dataSource) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        }

        /** Creates the tables if they are missing. By default, missing tables make {@link #start} fail. */
        public Builder createSchema() {
            create = true;
            return this;
        }

        /**
         * Notifies other nodes when messages are stored, so that their workers start immediately instead of at the next
         * poll ({@code work.poll}). The DataSource must open direct sessions to the database of the inbox, not through
         * a transaction pooler; at most two are kept open. PostgreSQL only. Correctness does not depend on it: a lost
         * notification is covered by polling.
         */
        public Builder notifications(DataSource newSessions) {
            notificationDataSource = Objects.requireNonNull(newSessions, "sessions");
            return this;
        }

        /** The database schema of the tables. Default: the current schema of new connections. */
        public Builder schema(String name) {
            schema = name;
            return this;
        }

        /** The prefix of all table names. Default: {@code idembox_}. */
        public Builder tablePrefix(String newPrefix) {
            prefix = newPrefix;
            return this;
        }

        /** Sets the policy of a consumer. Default: {@link ConsumerPolicy#defaults()}. */
        public Builder consumer(String name, ConsumerPolicy policy) {
            policies.put(name, policy);
            return this;
        }

        /**
         * Sets the policies of consumers and destinations, for example from a file. Later calls for the same consumer
         * or destination override them.
         */
        public Builder policies(Policies all) {
            policies.putAll(all.consumers());
            outboxes.putAll(all.outbox());
            AuditPolicy audit = all.audit();
            return audit == null ? this : auditKey(audit.auditKey());
        }

        /** Adds an outbox destination with {@link OutboxPolicy#defaults()}. */
        public Builder outbox(String destination) {
            return outbox(destination, OutboxPolicy.defaults());
        }

        /** Adds an outbox destination. */
        public Builder outbox(String destination, OutboxPolicy policy) {
            outboxes.put(Objects.requireNonNull(destination, "destination"), Objects.requireNonNull(policy, "policy"));
            return this;
        }

        /** Renames a consumer: the new name keeps the ledger of the old one. */
        public Builder consumerAlias(String newName, String oldName) {
            consumerAlias.put(newName, oldName);
            return this;
        }

        public Builder listener(InboxListener listener) {
            listeners.add(listener);
            return this;
        }

        /** The codec that reads payloads. Default: the Jackson version on the class path. */
        public Builder codec(PayloadCodec newCodec) {
            codec = newCodec;
            return this;
        }

        /**
         * How long to wait for another transaction that is recording the same message, before the receipt is BUSY.
         * Default: 1 second.
         */
        public Builder lockTimeout(Duration wait) {
            DurationLimits.complaint("lock-timeout", wait, Duration.ofMillis(1)).ifPresent(complaint -> {
                throw new InboxConfigurationException(complaint);
            });
            lockTimeout = wait;
            return this;
        }

        /**
         * Starts even if the database may lose acknowledged commits in a crash, or if Citus is installed in the
         * database of the inbox tables, where a crash can duplicate effects in distributed tables.
         */
        public Builder allowUnsafeDurability() {
            unsafeDurabilityAllowed = true;
            return this;
        }

        /**
         * The key that seals operations of operators, see {@link AuditTrail}. Without it, a rewritten trail cannot be
         * detected.
         */
        public Builder auditKey(AuditKey key) {
            auditKey = key;
            return this;
        }

        /** A clock for tests. By default the database's clock is used. */
        public Builder clock(InstantSource newClock) {
            clock = newClock;
            return this;
        }

        /**
         * Checks the tables and the settings of the database and the driver, then opens the inbox.
         *
         * @throws SchemaMismatchException when the tables are missing or have another version
         * @throws InboxConfigurationException when a setting would lose or duplicate messages
         * @throws StoreUnavailableException when the database is unavailable
         */
        public Inbox start() {
            return new Inbox(new InboxRuntime(new InboxRuntime.Parts(
                    new InboxRuntime.Where(
                            dataSource,
                            notificationDataSource,
                            schema,
                            prefix,
                            create,
                            unsafeDurabilityAllowed,
                            lockTimeout),
                    Map.copyOf(policies),
                    Map.copyOf(consumerAlias),
                    Map.copyOf(outboxes),
                    List.copyOf(listeners),
                    codec,
                    clock,
                    auditKey)));
        }
    }
}
