// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.event.InboxEvent;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.intent.http.HttpCall;
import io.idembox.intent.http.HttpSender;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * One process of the shop: handles what was bought and has it charged, until it is killed or nobody is there who started it. It
 * says {@code ready} once, {@code fenced} whenever it was refused, {@code count unknown} for a try that nobody knows the end of, and
 * {@code count reconciled} for an intent that was done when the provider was asked.
 */
final class PaymentWorker {

    static final String SHOP = "shop";
    static final String CHARGE = "charge";

    /** The consumer inside whose messages are the intents. */
    static final String CHARGES = SHOP + "/" + CHARGE;

    static final String ORDER_PLACED = "OrderPlaced";
    static final String UNKNOWN = "UNKNOWN";
    static final Duration LEASE = Duration.ofSeconds(2);

    /** How long a sender waits for an answer. */
    static final Duration PATIENCE = Duration.ofMillis(1_500);

    private static final int SENDERS = 6;

    private static final WorkPolicy WORK = WorkPolicy.defaults()
            .lease(LEASE)
            .maxProcessing(Duration.ofSeconds(20))
            .poll(Duration.ofMillis(100));

    static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .retry(RetryPolicy.exponential(5, Duration.ofMillis(50), Duration.ofSeconds(1)))
            .work(WORK.workers(2).batch(10));

    /** The first pause is long enough for what is under way to have arrived when the provider is asked. */
    private static final RetryPolicy AGAIN = RetryPolicy.exponential(12, Duration.ofSeconds(1), Duration.ofSeconds(2));

    /** Before and after each call, so that there is something to hit: nothing was sent yet, or nothing is marked yet. */
    private static final long PAUSE_NANOS = 10_000_000;

    /** What is parked is reported as an error, often and as expected; everything else that is an error is shown. */
    private static final List<String> JVM = List.of(
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Dorg.slf4j.simpleLogger.log.io.idembox.internal.engine.FailureReporter=off");

    private static final long PROCESS = ProcessHandle.current().pid();

    private final Manner manner;
    private final ReconcilingSender<HttpCall> http;
    private final Set<String> found = ConcurrentHashMap.newKeySet();

    private PaymentWorker(String origin, Manner manner) {
        this.manner = manner;
        HttpSender built = HttpSender.to(origin)
                .timeout(PATIENCE)
                .reference("/id")
                .reconcile("/charges/by-key/{key}")
                .absentAfter(PATIENCE)
                .build();
        this.http = (ReconcilingSender<HttpCall>) built;
    }

    static Fleet fleet(String jdbcUrl, String origin, Scenario scenario, Options options) {
        return new Fleet(
                options.processes(),
                sequenceNumber -> ForkedJvm.startWith(
                        JVM,
                        PaymentWorker.class,
                        jdbcUrl,
                        origin,
                        scenario.name(),
                        options.manner().name()));
    }

    /** The database, the provider, the scenario, and how the sender goes about it. */
    public static void main(String[] args) throws InterruptedException {
        ForkedJvm.endWithParent();
        PaymentWorker worker = new PaymentWorker(args[1], Manner.valueOf(args[3]));
        worker.begin(
                Inbox.on(Pool.of(args[0], SENDERS + 6)).listener(worker::listen).start(), Scenario.valueOf(args[2]));
        System.out.println("ready");
        Thread.currentThread().join();
    }

    private void begin(Inbox inbox, Scenario scenario) {
        IntentSender<HttpCall> sender = scenario.reconciles() ? new AskingSender() : new Sender();
        IntentPolicy policy = scenario.policy().retry(AGAIN).work(WORK.workers(SENDERS));
        inbox.subscribe(SHOP)
                .policy(POLICY)
                .on(ORDER_PLACED, Payload.class, PaymentWorker::handle)
                .intent(CHARGE, HttpCall.class, sender, policy)
                .start();
    }

    /** What was bought is written down, and its charge is intended: both, or neither. */
    private static void handle(Payload order, HandlerContext context) throws SQLException {
        try (PreparedStatement insert =
                context.connection().prepareStatement("insert into purchase (id, process) values (?, ?)")) {
            insert.setString(1, context.id().id());
            insert.setLong(2, PROCESS);
            insert.executeUpdate();
        }
        context.intend(CHARGE, HttpCall.post("/charges", order.text()));
    }

    private void listen(InboxEvent event) {
        if (event instanceof InboxEvent.OwnershipLost) {
            System.out.println("fenced");
        } else if (event instanceof InboxEvent.AttemptFailed failed
                && failed.consumer().equals(CHARGES)
                && failed.failure().errorClass().equals(UNKNOWN)) {
            System.out.println("count unknown");
        } else if (event instanceof InboxEvent.Received received
                && received.consumer().equals(CHARGES)
                && received.receipt().kind() == Receipt.Kind.COMPLETED
                && found.remove(received.id().id())) {
            System.out.println("count reconciled");
        }
    }

    /** Takes its time. */
    private class Sender implements IntentSender<HttpCall> {

        @Override
        public SendResult send(Intent<HttpCall> intent) throws Exception {
            LockSupport.parkNanos(PAUSE_NANOS);
            SendResult said = manner.send(http, intent);
            LockSupport.parkNanos(PAUSE_NANOS);
            return said;
        }
    }

    /** Remembers what was found to be done. */
    private final class AskingSender extends Sender implements ReconcilingSender<HttpCall> {

        @Override
        public ReconcileResult reconcile(Intent<HttpCall> intent) throws Exception {
            ReconcileResult result = manner.reconcile(http, intent);
            if (result instanceof ReconcileResult.WasSent) {
                found.add(intent.key());
            }
            return result;
        }
    }
}
