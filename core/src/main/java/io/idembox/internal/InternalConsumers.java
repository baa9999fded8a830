// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal;

import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.NoTransactionException;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.FailureRules;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.PayloadReader;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.outbox.IntentDispatcher;
import io.idembox.internal.outbox.Relay;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryPolicy;
import io.idembox.spi.Publisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consumers inside: one for each destination of the outbox, one for each intent of a consumer. They are like any other, but
 * what they do with a message is done outside the database. Thread-safe.
 */
final class InternalConsumers {

    private static final Logger log = LoggerFactory.getLogger(InternalConsumers.class);

    private static final String RESERVED = "outbox";

    private final InboxRuntime inboxRuntime;
    private final JdbcInboxStore store;
    private final OutboxWriter outboxWriter;
    private final InstantSource clock;
    private final Map<String, Receiver> destinations = new ConcurrentHashMap<>();
    private final Set<Publisher> publishers = new LinkedHashSet<>();

    InternalConsumers(InboxRuntime inboxRuntime, JdbcInboxStore store, OutboxWriter outboxWriter, InstantSource clock) {
        this.inboxRuntime = inboxRuntime;
        this.store = store;
        this.outboxWriter = outboxWriter;
        this.clock = clock;
    }

    /** The names of consumers inside have a slash, and nobody else's has: what is sent must not be handled by a stranger. */
    static void checkIsNotInside(String consumer) {
        if (consumer.equals(RESERVED) || consumer.indexOf('/') >= 0) {
            throw new InboxConfigurationException("The consumer name " + consumer
                    + " is not to be had: names with a slash are those of consumers inside, which keep what is sent ("
                    + OutboxWriter.OUTBOX
                    + "<destination>) and what is intended (<consumer>/<intent>). Choose another name.");
        }
    }

    void open(String destination, OutboxPolicy policy) {
        Receiver receiver = inboxRuntime.anyReceiver(OutboxWriter.OUTBOX + destination, policyOf(policy));
        String source = policy.source() == null ? "/" + destination : policy.source();
        // Now, so that nobody needs a second connection for it inside a transaction.
        store.know(source);
        outboxWriter.open(destination, receiver.consumer(), source);
        destinations.put(destination, receiver);
    }

    private static ConsumerPolicy policyOf(OutboxPolicy policy) {
        return ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .recording(Recording.FULL)
                .ordering(policy.ordering())
                .retry(policy.retry())
                .retention(policy.retention())
                .limits(policy.limits())
                .work(policy.work());
    }

    void send(Connection connection, String destination, List<Message> messages) {
        checkIsInTransaction(connection);
        try (Transaction tx = store.join(connection)) {
            outboxWriter.send(tx, destination, messages);
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The database did not write what is sent to " + destination + " (" + failed.kind()
                            + "). Roll your transaction back and do it again.",
                    failed);
        }
        // Nobody tells for sure when it is committed: it is looked for after a few milliseconds, then less and less
        // often.
        Receiver receiver = destinations.get(destination);
        if (receiver != null) {
            inboxRuntime.comesSoon(receiver.consumer().number());
        }
    }

    private static void checkIsInTransaction(Connection connection) {
        try {
            if (connection.getAutoCommit()) {
                throw new NoTransactionException(
                        "The connection commits every statement by itself, so that the message would go out whether or not"
                                + " the business write happens. Nothing was written. Call setAutoCommit(false), write and send, then commit;"
                                + " or begin a transaction with whatever your framework offers.");
            }
        } catch (SQLException error) {
            throw new StoreUnavailableException("The connection cannot be used. Nothing was written.", error);
        }
    }

    synchronized void startRelays(Publisher publisher, List<String> names) {
        if (names.isEmpty()) {
            throw new InboxConfigurationException("A relay needs at least one destination.");
        }
        for (String destination : names) {
            Receiver receiver = destinations.get(destination);
            if (receiver == null) {
                throw new InboxConfigurationException("There is nothing to relay to " + destination
                        + ": this inbox does not know the destination. Tell its builder, with outbox(\"" + destination
                        + "\").");
            }
            String name = receiver.consumer().name();
            if (inboxRuntime.hasCrew(name)) {
                throw new InboxConfigurationException(
                        "The destination " + destination + " has a relay in this process already. One is enough.");
            }
            publishers.add(publisher);
            RegisteredConsumer inside = receiver.consumer();
            Relay relay = new Relay(
                    destination,
                    publisher,
                    rulesOf(inside.policy().retry()),
                    clock,
                    receiver.valve(),
                    inside.policy().ordering() == Ordering.NONE
                            ? 0
                            : inside.policy().work().batch());
            inboxRuntime.startCrew(name, receiver.outsideRun(inboxRuntime.leases(), relay));
        }
    }

    <T> void openIntent(RegisteredConsumer consumer, String name, Class<T> request, InboxRuntime.IntentDesk<T> admin) {
        checkIntentName(consumer, name);
        if (!PayloadReader.needsNoCodec(request) && !inboxRuntime.codec().reads(request)) {
            throw new InboxConfigurationException("Consumer " + consumer.name() + " wants the intent " + name + " as a "
                    + request.getSimpleName() + ", but nothing here can read one: add Jackson 2 or 3 to the class path,"
                    + " or give the builder a codec(...). String, byte[], Payload and Message need none.");
        }
        // By its first name: what was intended before its consumer was renamed is brought about all the same.
        Receiver receiver = inboxRuntime.anyReceiver(
                consumer.firstName() + "/" + name, policyOf(admin.policy(), consumer.policy()));
        var sending = new IntentDispatcher<>(
                new IntentDispatcher.What<>(
                        consumer.name(), name, request, admin.sender(), admin.policy(), inboxRuntime.codec()),
                arrival -> store.outgoing().tries(receiver.consumer(), arrival),
                rulesOf(admin.policy().retry()),
                clock);
        outboxWriter.open(consumer, name, receiver.consumer());
        inboxRuntime.startCrew(receiver.consumer().name(), receiver.outsideRun(inboxRuntime.leases(), sending));
    }

    /** Whoever is called for a consumer is called for its intents, too. Places and deliveries they have none. */
    private static ConsumerPolicy policyOf(IntentPolicy policy, ConsumerPolicy above) {
        return ConsumerPolicy.defaults()
                .owner(above.owner())
                .alerts(above.alerts().sequenceGap(null).duplicateShare(null))
                .mode(Mode.STORED)
                .recording(Recording.FULL)
                .retry(policy.retry())
                .retention(policy.retention())
                .work(policy.work());
    }

    private static void checkIntentName(RegisteredConsumer consumer, String name) {
        boolean ok = !name.isBlank()
                && name.indexOf('/') < 0
                && name.chars().noneMatch(Character::isISOControl)
                && consumer.firstName().length() + 1 + name.length() <= 200;
        if (!ok) {
            throw new InboxConfigurationException("The name of an intent is printable, has no slash, and no more than"
                    + " 200 characters together with its consumer's; was '" + name.replaceAll("\\p{Cntrl}", "?") + "'");
        }
    }

    private FailureRules rulesOf(RetryPolicy retry) {
        return new FailureRules(
                retry, store.errorText(), () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Nobody publishes any more. One publisher that does not end well keeps nobody else from ending. */
    synchronized void close() {
        for (Publisher publisher : publishers) {
            try {
                publisher.close();
            } catch (Exception thrown) {
                log.warn("A publisher did not end well. What was not confirmed is published again.", thrown);
            }
        }
        publishers.clear();
    }
}
