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
 * transaction as the mark that it was handled.
 *
 * <pre>{@code
 * try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
 *     Message placed = Message.of("evt-456", "OrderPlaced", "{\"orderId\":\"42\",\"cents\":5000}").from("/orders");
 *     inbox.handle("billing", placed, ctx -> charge(ctx.connection(), "42", 5000));   // COMPLETED
 *     inbox.handle("billing", placed, ctx -> charge(ctx.connection(), "42", 5000));   // DUPLICATE
 * }
 * }</pre>
 *
 * <p>Promise: a {@link Receipt} that {@linkplain Receipt#acknowledges() acknowledges} is returned only after what it says
 * is committed. Thread-safe.
 */
public final class Inbox implements AutoCloseable {

    private final InboxRuntime inboxRuntime;
    private final Set<String> subscribed = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private Inbox(InboxRuntime inboxRuntime) {
        this.inboxRuntime = inboxRuntime;
    }

    /** Begins an inbox in the database of the DataSource, which has to be the one the effects are written to. */
    public static Builder on(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * Handles a message in a transaction of its own: records it, does the work, commits both. Acknowledge the broker when
     * the receipt says so, and not before.
     *
     * <p>A {@link VirtualMachineError} of the work other than {@link StackOverflowError}, such as {@link OutOfMemoryError}, is
     * thrown unchanged: the transaction is rolled back, no attempt is counted, and nothing may be acknowledged.
     *
     * @throws StoreUnavailableException when the database does not answer; acknowledge nothing, deliver it again
     * @throws InboxConfigurationException when the DataSource hands out a connection that is inside a transaction of the
     *     application; nothing was handled
     * @throws ConsumerStoppedException when the consumer is stopped until the inbox is started again; acknowledge nothing
     */
    public Receipt handle(String consumer, Message message, InboxHandler handler) {
        return handleAll(consumer, List.of(message), handler).get(0);
    }

    /**
     * Handles many messages in one transaction, each with an outcome of its own; one receipt for each, in order. It throws
     * the same exceptions as {@link #handle(String, Message, InboxHandler)}; then no message of the call has a receipt.
     */
    public List<Receipt> handleAll(String consumer, List<Message> messages, InboxHandler handler) {
        return adHoc(consumer).receive(messages, message -> new HandlerTask.Single(handler));
    }

    /**
     * Handles a message in a transaction that the caller owns, for jOOQ, Jdbi or plain JDBC: writes the mark, then does the
     * work. The caller commits, and acknowledges the broker after that; or rolls back, and the mark is gone as well. A
     * consumer or source that is new gets its number through a connection of its own, so the pool needs a second one.
     *
     * @throws Exception whatever the work throws; the caller has to roll back then
     */
    public HandleResult handle(Connection connection, String consumer, Message message, InboxHandler handler)
            throws Exception {
        return adHoc(consumer).handleIn(connection, message, handler);
    }

    /**
     * Keeps a message for the consumer's workers, here or on another node. Once it returns STORED, the message is durable
     * and the broker may forget it.
     */
    public Receipt store(String consumer, Message message) {
        return store(consumer, List.of(message)).get(0);
    }

    /** Keeps many messages in one transaction; one receipt for each, in order. */
    public List<Receipt> store(String consumer, List<Message> messages) {
        checkOpen();
        List<Receipt> receipts = inboxRuntime.receiverOf(consumer).store(messages);
        inboxRuntime.stored(consumer, receipts);
        return receipts;
    }

    /**
     * Does for a consumer what goes on beside its work, and none of the work: leases that ran out are taken away, and what is finished
     * long enough is forgotten. For a process whose login may delete, where those of the applications may not; everybody who
     * handles messages of a consumer does it anyway, as far as the login allows.
     */
    public void runMaintenance(String consumer) {
        checkOpen();
        inboxRuntime.receiverOf(consumer);
    }

    /** A consumer whose handlers are chosen by event type and version. */
    public Subscription subscribe(String consumer) {
        checkOpen();
        if (!subscribed.add(consumer)) {
            throw new InboxConfigurationException("Consumer " + consumer + " is subscribed twice. Its messages would be"
                    + " handled by whichever came first. Register all its handlers on one subscription, or name the second"
                    + " consumer differently.");
        }
        return new Subscription(consumer, inboxRuntime, this::checkOpen);
    }

    /** The sending half. */
    public Outbox outbox() {
        checkOpen();
        return new Outbox(inboxRuntime, this::checkOpen);
    }

    /** The door for people: look, explain, redrive, park, discard, restore. */
    public InboxAdmin admin() {
        checkOpen();
        return inboxRuntime.admin();
    }

    /** What people did through {@link #admin}, sealed. */
    public AuditTrail audit() {
        checkOpen();
        return inboxRuntime.audit();
    }

    private Receiver adHoc(String consumer) {
        checkOpen();
        ConsumerPolicy policy = inboxRuntime.policyOf(consumer);
        if (policy.retryBy(false) == RetryBy.INBOX) {
            throw new InboxConfigurationException("Consumer " + consumer + " has " + whyInboxRetries(policy)
                    + ", so the inbox has to call its handler again later, which is not possible with the work given to"
                    + " handle(...). Register a handler with subscribe(\"" + consumer
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

    /** Takes no more messages. The DataSource stays open: it is the application's. */
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
        private @Nullable DataSource sessions;
        private @Nullable String schema;
        private String prefix = InboxSchema.DEFAULT_PREFIX;
        private boolean create;
        private boolean lossAccepted;
        private Duration lockTimeout = Duration.ofSeconds(1);
        private @Nullable PayloadCodec codec;
        private @Nullable InstantSource clock;
        private @Nullable AuditKey auditKey;

        private Builder(DataSource dataSource) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        }

        /** Creates the tables when they are missing. Without it they have to be there. */
        public Builder createSchema() {
            create = true;
            return this;
        }

        /**
         * Lets nodes tell each other that something was stored, so that workers elsewhere begin at once instead of at their
         * next look ({@code work.poll}). The DataSource opens real sessions to the database of the inbox, not through a
         * transaction pooler; at most two of them are kept open. PostgreSQL only. Nothing depends on it: what is not heard
         * is found by looking.
         */
        public Builder notifications(DataSource newSessions) {
            sessions = Objects.requireNonNull(newSessions, "sessions");
            return this;
        }

        /** The schema of the tables; without it the one new connections are in. */
        public Builder schema(String name) {
            schema = name;
            return this;
        }

        /** What table names begin with; {@code idembox_} without it. */
        public Builder tablePrefix(String newPrefix) {
            prefix = newPrefix;
            return this;
        }

        /** How a consumer behaves; {@link ConsumerPolicy#defaults()} without it. */
        public Builder consumer(String name, ConsumerPolicy policy) {
            policies.put(name, policy);
            return this;
        }

        /** How consumers and destinations behave, such as a file says it. What is said of one of them afterwards counts instead. */
        public Builder policies(Policies all) {
            policies.putAll(all.consumers());
            outboxes.putAll(all.outbox());
            AuditPolicy audit = all.audit();
            return audit == null ? this : auditKey(audit.auditKey());
        }

        /** A destination that messages may be sent to, with {@link OutboxPolicy#defaults()}. */
        public Builder outbox(String destination) {
            return outbox(destination, OutboxPolicy.defaults());
        }

        /** A destination that messages may be sent to. */
        public Builder outbox(String destination, OutboxPolicy policy) {
            outboxes.put(Objects.requireNonNull(destination, "destination"), Objects.requireNonNull(policy, "policy"));
            return this;
        }

        /** A consumer has a new name and keeps what it has seen under the old one. */
        public Builder consumerAlias(String newName, String oldName) {
            consumerAlias.put(newName, oldName);
            return this;
        }

        public Builder listener(InboxListener listener) {
            listeners.add(listener);
            return this;
        }

        /** How payloads are read; without it whichever Jackson is on the class path. */
        public Builder codec(PayloadCodec newCodec) {
            codec = newCodec;
            return this;
        }

        /** How long recording waits for a message that another transaction is recording, before it is BUSY. */
        public Builder lockTimeout(Duration wait) {
            DurationLimits.complaint("front-door-wait", wait, Duration.ofMillis(1))
                    .ifPresent(complaint -> {
                        throw new InboxConfigurationException(complaint);
                    });
            lockTimeout = wait;
            return this;
        }

        /**
         * Starts even if the database may forget acknowledged commits in a crash, or if Citus is installed beside the inbox
         * tables, where effects in distributed tables can be doubled by a crash.
         */
        public Builder allowUnsafeDurability() {
            lossAccepted = true;
            return this;
        }

        /** What operations of people are sealed with, see {@link AuditTrail}. Without it nobody can tell a past that was written anew. */
        public Builder auditKey(AuditKey key) {
            auditKey = key;
            return this;
        }

        /** A clock for tests. In production the database's own clock decides. */
        public Builder clock(InstantSource newClock) {
            clock = newClock;
            return this;
        }

        /**
         * Checks the tables and the settings of database and driver, then opens the inbox.
         *
         * @throws SchemaMismatchException when the tables are missing or of another version
         * @throws InboxConfigurationException when a setting would lose or double messages
         * @throws StoreUnavailableException when the database does not answer
         */
        public Inbox start() {
            return new Inbox(new InboxRuntime(new InboxRuntime.Parts(
                    new InboxRuntime.Where(dataSource, sessions, schema, prefix, create, lossAccepted, lockTimeout),
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
