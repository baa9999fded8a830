// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.acceptance.engine.NoCodec;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.internal.engine.ErrorText;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.FailureRules;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
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
import io.idembox.spi.PublishResult;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.FaultyDataSource;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The part of a process that brings things out: what its handlers send is published by its relay, what they intend is tried, and a
 * consumer downstream, with an inbox of its own, reads what was published. Calls to those outside are steps that can go wrong.
 */
final class PostOffice {

    private static final int CLAIMS = 20;
    private static final int FOLLOWERS = 3;

    private final FaultyDataSource process;
    private final Outside outside;
    private final InboxStore store;
    private final LeaseStore leases;
    private final LeaseStore reaped;
    private final OutboxWriter outboxWriter;
    private final Receiver destination;
    private final Receiver intents;
    private final Receiver downstream;
    private final BrokenMail.Relay relay;
    private final BrokenMail.Relay trying;

    /** What the process consists of otherwise. */
    record Premises(
            JdbcInboxStore real,
            InboxStore store,
            LeaseStore leases,
            LeaseStore reaped,
            FaultyDataSource process,
            ManualClock clock) {}

    PostOffice(Premises premises, BrokenMail breakage, Outside outside, RegisteredConsumer sender) {
        this.process = premises.process;
        this.outside = outside;
        this.store = premises.store;
        this.leases = premises.leases;
        this.reaped = premises.reaped;
        this.outboxWriter = new OutboxWriter(store, new NoCodec(), number -> {});
        this.destination = receiver(
                premises,
                OutboxWriter.OUTBOX + Mail.ORDERS,
                policyOf(outside.mail().outboxPolicy()));
        this.intents = receiver(
                premises, "billing/" + Mail.CHARGE, policyOf(outside.mail().intentPolicy()));
        this.downstream = receiver(premises, "shipping", Path.DIRECT.ordering(Ordering.HOLD));
        premises.real.know("/orders");
        outboxWriter.open(Mail.ORDERS, destination.consumer(), "/orders");
        outboxWriter.open(sender, Mail.CHARGE, intents.consumer());
        ErrorText errors = premises.real.errorText();
        Relay publishing = new Relay(
                Mail.ORDERS,
                (where, messages) -> publish(messages),
                rulesOf(outside.mail().outboxPolicy().retry(), errors),
                premises.clock,
                destination.valve(),
                FOLLOWERS);
        this.relay = breakage.relay(publishing, work -> {
            var run = destination.outsideRun(leases, work);
            return lease -> run.work(lease, () -> {});
        });
        OutgoingStore outgoing = store.outgoing();
        IntentDispatcher<String> sending = new IntentDispatcher<>(
                new IntentDispatcher.What<>(
                        sender.name(),
                        Mail.CHARGE,
                        String.class,
                        provider(breakage),
                        outside.mail().intentPolicy(),
                        new NoCodec()),
                arrival -> outgoing.tries(intents.consumer(), arrival),
                rulesOf(outside.mail().intentPolicy().retry(), errors),
                premises.clock);
        this.trying = lease -> intents.outsideRun(leases, sending).work(lease, () -> {});
    }

    private static Receiver receiver(Premises premises, String name, ConsumerPolicy policy) {
        return new Receiver(
                premises.store,
                premises.real.consumer(name, policy),
                premises.real.errorText(),
                premises.clock,
                new EventPublisher(List.of()));
    }

    private static ConsumerPolicy policyOf(OutboxPolicy policy) {
        return ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .recording(Recording.FULL)
                .ordering(policy.ordering())
                .retry(policy.retry());
    }

    private static ConsumerPolicy policyOf(IntentPolicy policy) {
        return ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .recording(Recording.FULL)
                .retry(policy.retry())
                .work(policy.work());
    }

    private static FailureRules rulesOf(RetryPolicy retry, ErrorText errors) {
        return new FailureRules(retry, errors, () -> 0);
    }

    private IntentSender<String> provider(BrokenMail breakage) {
        IntentSender<String> sender = intent -> call("charge", () -> outside.charge(intent));
        if (outside.mail().provider() != Mail.Provider.QUESTIONS) {
            return sender;
        }
        return new ReconcilingSender<>() {
            @Override
            public SendResult send(Intent<String> intent) throws Exception {
                return sender.send(intent);
            }

            @Override
            public ReconcileResult reconcile(Intent<String> intent) throws Exception {
                return breakage.asks() ? call("reconcile", () -> outside.find(intent)) : ReconcileResult.notSent();
            }
        };
    }

    private List<PublishResult> publish(List<Message> messages) {
        List<PublishResult> answers = new ArrayList<>();
        process.callBroker("publish", () -> answers.addAll(outside.publish(messages)));
        return answers;
    }

    /** A step; before it nothing is done, after it the answer may be lost. */
    private <T> T call(String what, Callable<T> call) throws Exception {
        List<T> answer = new ArrayList<>();
        List<Exception> thrown = new ArrayList<>();
        process.callBroker(what, () -> {
            try {
                answer.add(call.call());
            } catch (Exception trouble) {
                thrown.add(trouble);
            }
        });
        if (!thrown.isEmpty()) {
            throw thrown.get(0);
        }
        return answer.get(0);
    }

    OutboxWriter mailroom() {
        return outboxWriter;
    }

    /** Sends in a transaction of the application's. */
    void send(Connection connection, String cause) {
        try (Transaction tx = store.join(connection)) {
            outboxWriter.send(tx, Mail.ORDERS, outside.mail().of(cause));
        }
    }

    void publishAll() {
        work(destination.consumer(), new LeaseStore.Demand(2, 2, Node.LEASE, 0), relay);
    }

    void tryAll() {
        work(intents.consumer(), new LeaseStore.Demand(2, 1, Node.LEASE, 0), trying);
    }

    private void work(RegisteredConsumer consumer, LeaseStore.Demand demand, BrokenMail.Relay worker) {
        for (int i = 0; i < CLAIMS; i++) {
            List<Lease> claimed = leases.claim(consumer, demand);
            if (claimed.isEmpty()) {
                return;
            }
            claimed.forEach(worker::work);
        }
    }

    /** The consumer downstream takes what was published, as often as the broker has it. */
    void read(InboxHandler handler) {
        var deliveries = outside.log().unacknowledged().stream()
                .map(outside.log()::deliver)
                .map(process::delivery)
                .toList();
        if (!deliveries.isEmpty()) {
            downstream.receiveDeliveries(deliveries, message -> new HandlerTask.Single(handler));
        }
    }

    void reap() {
        reaped.reap(destination.consumer());
        reaped.reap(intents.consumer());
    }
}
