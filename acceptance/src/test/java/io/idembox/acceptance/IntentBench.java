// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.admin.Attempt;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Page;
import io.idembox.event.InboxEvent;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** A consumer whose handler intends a charge, and providers that say what a test wants them to say. */
abstract class IntentBench extends DatabaseTest {

    record Charge(String account, int cents) {}

    static final String CHARGES = "billing/charge";

    final Seen seen = new Seen();
    final Provider provider = new Provider();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.listener(seen);
    }

    static final RetryPolicy IN_AN_HOUR = RetryPolicy.exponential(10, Duration.ofHours(1), Duration.ofHours(1));

    static IntentPolicy quick(IntentPolicy policy) {
        boolean usual = policy.retry().equals(IntentPolicy.defaults().retry());
        return policy.retry(
                        usual ? RetryPolicy.exponential(4, Duration.ofMillis(1), Duration.ofMillis(1)) : policy.retry())
                .work(WorkPolicy.defaults().lease(Duration.ofMillis(500)).maxProcessing(Duration.ofSeconds(30)));
    }

    /** A sender that says what a test wants it to say, one answer per call; after that it says yes. */
    static class Provider implements IntentSender<Charge> {

        final List<Intent<Charge>> sent = new CopyOnWriteArrayList<>();
        private final Deque<SendResult> answers = new ArrayDeque<>();

        synchronized Provider says(SendResult answer) {
            answers.add(answer);
            return this;
        }

        @Override
        public synchronized SendResult send(Intent<Charge> intent) {
            sent.add(intent);
            return answers.isEmpty() ? SendResult.sent("ch_" + sent.size()) : answers.remove();
        }
    }

    /** One that can be asked. */
    static class HonestProvider extends Provider implements ReconcilingSender<Charge> {

        final List<Intent<Charge>> asked = new CopyOnWriteArrayList<>();
        private final Deque<ReconcileResult> results = new ArrayDeque<>();

        synchronized HonestProvider finds(ReconcileResult result) {
            results.add(result);
            return this;
        }

        @Override
        public synchronized ReconcileResult reconcile(Intent<Charge> intent) {
            asked.add(intent);
            return results.isEmpty() ? ReconcileResult.notSent() : results.remove();
        }
    }

    final Subscription billing(IntentSender<Charge> sender, IntentPolicy policy) {
        return inbox.subscribe("billing")
                .on("OrderPlaced", String.class, (text, context) -> {
                    effect(context);
                    context.intend("charge", new Charge("acc-1", 500));
                })
                .intent("charge", Charge.class, sender, quick(policy));
    }

    final void awaitCharges(Receipt.Kind kind, int count) {
        seen.await(
                event -> event instanceof InboxEvent.Received received
                        && received.consumer().equals(CHARGES)
                        && received.receipt().kind() == kind,
                count,
                "charges " + kind);
    }

    final List<InboxMessage> open() {
        return inbox.admin().list(Filter.of(CHARGES), Page.first(10)).messages();
    }

    final InboxMessage only() {
        return open().get(0);
    }

    final List<String> errorsOf(InboxMessage message) {
        return inbox.admin().attempts(message).stream()
                .map(Attempt::failure)
                .map(failure -> failure.errorClass())
                .toList();
    }

    /** As if the process stood still: the lease is over when the reaper looks, however often it is renewed meanwhile. */
    final void loseTheLease() {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (database.one("select count(*) from idembox_attempt").equals("0")) {
            if (System.nanoTime() > end) {
                throw new AssertionError("Nobody took the lease away");
            }
            database.run("update idembox_lease set lease_until = lease_until - interval '1' hour");
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}
