// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.admin.Attempt;
import io.idembox.admin.Filter;
import io.idembox.admin.KnownMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.intent.Finding;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.Sending;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.OnUnknown;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** M20: what a handler intends is recorded with its effect, brought about after it, and never done twice by guessing. */
class IntentDbTest extends DatabaseTest {

    record Charge(String account, int cents) {}

    private static final String CHARGES = "billing/charge";

    private final Seen seen = new Seen();
    private final Provider provider = new Provider();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.listener(seen);
    }

    private static final RetryPolicy IN_AN_HOUR = RetryPolicy.exponential(10, Duration.ofHours(1), Duration.ofHours(1));

    private static IntentPolicy quick(IntentPolicy policy) {
        boolean usual = policy.retry().equals(IntentPolicy.defaults().retry());
        return policy.retry(
                        usual ? RetryPolicy.exponential(4, Duration.ofMillis(1), Duration.ofMillis(1)) : policy.retry())
                .work(WorkPolicy.defaults().lease(Duration.ofMillis(500)).maxProcessing(Duration.ofSeconds(30)));
    }

    /** A sender that says what a test wants it to say, one answer per call; after that it says yes. */
    private static class Provider implements IntentSender<Charge> {

        final List<Intent<Charge>> sent = new CopyOnWriteArrayList<>();
        private final Deque<Sending> answers = new ArrayDeque<>();

        synchronized Provider says(Sending answer) {
            answers.add(answer);
            return this;
        }

        @Override
        public synchronized Sending send(Intent<Charge> intent) {
            sent.add(intent);
            return answers.isEmpty() ? Sending.sent("ch_" + sent.size()) : answers.remove();
        }
    }

    /** One that can be asked. */
    private static class HonestProvider extends Provider implements ReconcilingSender<Charge> {

        final List<Intent<Charge>> asked = new CopyOnWriteArrayList<>();
        private final Deque<Finding> findings = new ArrayDeque<>();

        synchronized HonestProvider finds(Finding finding) {
            findings.add(finding);
            return this;
        }

        @Override
        public synchronized Finding reconcile(Intent<Charge> intent) {
            asked.add(intent);
            return findings.isEmpty() ? Finding.notSent() : findings.remove();
        }
    }

    private Subscription billing(IntentSender<Charge> sender, IntentPolicy policy) {
        return inbox.subscribe("billing")
                .on("OrderPlaced", String.class, (text, context) -> {
                    effect(context);
                    context.intend("charge", new Charge("acc-1", 500));
                })
                .intent("charge", Charge.class, sender, quick(policy));
    }

    private void awaitCharges(Receipt.Kind kind, int count) {
        seen.await(
                event -> event instanceof io.idembox.event.InboxEvent.Answered answered
                        && answered.consumer().equals(CHARGES)
                        && answered.receipt().kind() == kind,
                count,
                "charges " + kind);
    }

    private List<KnownMessage> open() {
        return inbox.admin().look(Filter.of(CHARGES), Page.first(10)).messages();
    }

    private KnownMessage only() {
        return open().get(0);
    }

    private List<String> errorsOf(KnownMessage message) {
        return inbox.admin().attempts(message).stream()
                .map(Attempt::failure)
                .map(failure -> failure.errorClass())
                .toList();
    }

    @Test
    void whatIsIntendedIsDoneAfterTheCommitWithADeterministicKey() {
        List<String> keys = new CopyOnWriteArrayList<>();
        inbox.subscribe("billing")
                .on("OrderPlaced", String.class, (text, context) -> {
                    keys.add(context.effectKey("charge"));
                    context.intend("charge", new Charge("acc-1", 500));
                })
                .intent("charge", Charge.class, provider, quick(IntentPolicy.defaults()))
                .handle(message("a").header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        Intent<Charge> charge = provider.sent.get(0);
        assertThat(charge.request()).isEqualTo(new Charge("acc-1", 500));
        assertThat(charge.key()).isEqualTo(keys.get(0));
        assertThat(charge.cause()).isEqualTo(new MessageId("/orders", "a"));
        assertThat(charge.headers().text("traceparent")).isPresent();
        assertThat(charge.attempt()).isEqualTo(1);
        assertThat(charge.tries().first()).isNull();
        assertThat(database.list("select status from idembox_inbox where consumer = '" + CHARGES + "'"))
                .containsExactly("COMPLETED");
        // The provider's reference is kept with it.
        assertThat(database.list("select result_type from idembox_outcome where result is not null"))
                .containsExactly("text/plain");
    }

    @Test
    void aFailedHandlerIntendsNothingAndADuplicateNeither() {
        inbox.subscribe("billing")
                .on("OrderPlaced", String.class, (text, context) -> {
                    context.intend("charge", new Charge("acc-1", 500));
                    if (context.id().id().equals("bad")) {
                        throw new IllegalStateException("no");
                    }
                })
                .intent("charge", Charge.class, provider, quick(IntentPolicy.defaults()))
                .handleAll(List.of(message("bad"), message("good"), message("good")));

        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(provider.sent).extracting(Intent::cause).containsExactly(new MessageId("/orders", "good"));
        assertThat(open()).isEmpty();
    }

    @Test
    void twiceUnderOneNameIsAnErrorAndTwoPartsAreTwoIntents() {
        Subscription billing = inbox.subscribe("billing")
                .on("OrderPlaced", String.class, (text, context) -> {
                    context.intend("charge", "first", new Charge("a", 1));
                    context.intend("charge", "second", new Charge("b", 2));
                })
                .on("OrderPaid", String.class, (text, context) -> {
                    context.intend("charge", new Charge("a", 1));
                    context.intend("charge", new Charge("b", 2));
                })
                .intent("charge", Charge.class, provider, quick(IntentPolicy.defaults()));

        Receipt twice = billing.handle(message("x").typed("OrderPaid", 1));
        billing.handle(message("y"));

        assertThat(twice.failure().orElseThrow().summary())
                .contains("intend(\"charge\"")
                .contains("twice");
        awaitCharges(Receipt.Kind.COMPLETED, 2);
        assertThat(provider.sent).extracting(intent -> intent.request().cents()).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void anIntentNobodyBringsAboutIsAnError() {
        Receipt receipt = inbox.handle("billing", message("a"), context -> context.intend("charge", "{}"));

        assertThat(receipt.failure().orElseThrow().summary()).contains("intent(\"charge\"");
    }

    @Test
    void aCertainNoIsTriedAgainUntilTheAttemptsAreUsedUp() {
        for (int i = 0; i < 4; i++) {
            provider.says(Sending.retry("busy"));
        }
        billing(provider, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(provider.sent).hasSize(4);
        assertThat(provider.sent.stream().map(Intent::key).distinct()).hasSize(1);
        assertThat(only().status()).isEqualTo(Status.FAILED_TERMINAL);
        assertThat(errorsOf(only())).containsOnly("RETRY");
    }

    @Test
    void aFinalNoIsNotTriedAgain() {
        provider.says(Sending.failed("no such account"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24))).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(provider.sent).hasSize(1);
        assertThat(only().status()).isEqualTo(Status.FAILED_TERMINAL);
    }

    @Test
    void withoutKeyAndReconcilerWhatIsNotKnownIsLeftToAHuman() {
        provider.says(Sending.unknown("no answer"));
        billing(provider, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(provider.sent).hasSize(1);
        assertThat(only().status()).isEqualTo(Status.PARKED);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNKNOWN");
        assertThat(String.join(" ", inbox.admin().explain(CHARGES, only().id()).sentences()))
                .contains("no answer")
                .contains("whether it was done is not known")
                .contains("discard it; if not, redrive it");

        // The human found out that it was not done.
        inbox.admin().redrive(List.of(only().selected()), Operation.of("anna", "the bank has nothing"));
        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void aSenderThatThrowsDoesNotKnow() {
        IntentSender<Charge> thrower = intent -> {
            throw new java.io.IOException("connection reset");
        };
        billing(thrower, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(only().status()).isEqualTo(Status.PARKED);
        assertThat(errorsOf(only())).containsExactly("UNKNOWN");
    }

    @Test
    void whileTheProviderHonoursTheKeyWhatIsNotKnownIsTriedAgainWithIt() {
        provider.says(Sending.unknown("no answer")).says(Sending.unknown("no answer"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24))).handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(provider.sent).hasSize(3);
        assertThat(provider.sent.stream().map(Intent::key).distinct()).hasSize(1);
        assertThat(provider.sent.get(2).tries().first()).isNotNull();
    }

    @Test
    void whenAllTriesAreUsedUpWhatIsNotKnownIsParkedAsSuch() {
        for (int i = 0; i < 4; i++) {
            provider.says(Sending.unknown("no answer"));
        }
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24))).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(only().status()).isEqualTo(Status.PARKED);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNKNOWN");
    }

    @Test
    void beyondTheLifetimeOfTheKeyNothingIsTriedAgainNotEvenByARedrive() {
        provider.says(Sending.unknown("no answer"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24)).retry(IN_AN_HOUR))
                .handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        // Two days pass before anybody looks.
        database.run(
                "update idembox_attempt set started_at = started_at - interval '2' day",
                "update idembox_entry set due_at = due_at - interval '2' day");
        inbox.admin().redrive(List.of(only().selected()), Operation.of("anna", "again"));
        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(provider.sent).hasSize(1);
        assertThat(database.one("select state || ' ' || reason from idembox_entry"))
                .isEqualTo("PARKED KEY_EXPIRED");

        inbox.admin().redrive(List.of(only().selected()), Operation.of("anna", "I insist"));
        awaitCharges(Receipt.Kind.FAILED, 2);
        assertThat(provider.sent).hasSize(1);
    }

    @Test
    void whoAcceptsTheRiskByNameTriesAgain() {
        provider.says(Sending.unknown("no answer"));
        billing(provider, IntentPolicy.defaults().onUnknown(OnUnknown.RISK_DOUBLE))
                .handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void aReconcilerIsAskedBeforeAnythingIsSentAgain() {
        HonestProvider honest = new HonestProvider();
        honest.says(Sending.unknown("no answer"));
        honest.finds(Finding.stillUnknown("ask later")).finds(Finding.sent("ch_7"));
        billing(honest, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(honest.sent).hasSize(1);
        assertThat(honest.asked).hasSize(2);
        assertThat(open()).isEmpty();
    }

    @Test
    void whatTheReconcilerSaysWasNotDoneIsDone() {
        HonestProvider honest = new HonestProvider();
        honest.says(Sending.unknown("no answer"));
        honest.finds(Finding.notSent());
        billing(honest, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(honest.asked).hasSize(1);
        assertThat(honest.sent).hasSize(2);
    }

    @Test
    void aReconcilerMayAnswerWhenTheKeyIsLongForgotten() {
        HonestProvider honest = new HonestProvider();
        honest.says(Sending.unknown("no answer"));
        honest.finds(Finding.sent("ch_1"));
        billing(honest, IntentPolicy.keyed(Duration.ofHours(1)).retry(IN_AN_HOUR))
                .handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        database.run("update idembox_attempt set started_at = started_at - interval '2' day");
        inbox.admin().redrive(List.of(only().selected()), Operation.of("anna", "again"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(honest.sent).hasSize(1);
    }

    @Test
    void whoeverTookItsLeaseAlongLeavesItInDoubt() throws Exception {
        HonestProvider honest = new HonestProvider();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ReconcilingSender<Charge> slow = new ReconcilingSender<>() {
            @Override
            public Sending send(Intent<Charge> intent) throws Exception {
                honest.send(intent);
                inside.countDown();
                assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                return Sending.sent("ch_1");
            }

            @Override
            public Finding reconcile(Intent<Charge> intent) {
                honest.reconcile(intent);
                return Finding.sent("ch_1");
            }
        };
        billing(slow, IntentPolicy.defaults()).handle(message("a"));
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        // As if the process stood still: its lease is over, and the reaper comes.
        database.run("update idembox_lease set lease_until = lease_until - interval '1' hour");
        awaitCharges(Receipt.Kind.COMPLETED, 1);
        goOn.countDown();

        assertThat(honest.sent).hasSize(1);
        assertThat(honest.asked).hasSize(1);
        assertThat(honest.asked.get(0).attempt()).isEqualTo(2);
    }

    /** A sender that takes its worker along, as the end of its process would, the first time. */
    private IntentSender<Charge> deadly(Runnable before) {
        return intent -> {
            provider.send(intent);
            if (intent.attempt() == 1) {
                before.run();
                throw new AssertionError("as if the process had ended");
            }
            return Sending.sent("ch_1");
        };
    }

    /** As if a deployment could not read what it wrote before. */
    private void breakPayloads() {
        database.run(
                "create table kept as select arrival, payload from idembox_body",
                "update idembox_body set payload = substring(payload from 2)");
    }

    private void mendPayloads() {
        database.run("update idembox_body set payload ="
                + " (select k.payload from kept k where k.arrival = idembox_body.arrival)");
    }

    private void redrive(String why) {
        inbox.admin().redrive(List.of(only().selected()), Operation.of("anna", why));
    }

    @Test
    void whoseProcessEndedIsDoneWhenAHumanSaysSo() {
        billing(deadly(() -> {}), IntentPolicy.defaults()).handle(message("a"));
        awaitCharges(Receipt.Kind.FAILED, 1);
        assertThat(database.one("select state || ' ' || reason || ' ' || crashes from idembox_entry"))
                .isEqualTo("PARKED UNKNOWN 1");

        redrive("the bank has nothing");
        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void whoRedrivesWithoutKnowingOfTheDoubtIsToldFirst() {
        billing(deadly(this::breakPayloads), IntentPolicy.defaults()).handle(message("a"));
        awaitCharges(Receipt.Kind.FAILED, 1);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNREADABLE");
        mendPayloads();

        redrive("it can be read again");
        awaitCharges(Receipt.Kind.FAILED, 2);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNKNOWN");
        assertThat(provider.sent).hasSize(1);

        redrive("the bank has nothing");
        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void anOperatorParksDiscardsAndRestoresWhatIsIntended() {
        IntentSender<Charge> away = intent -> Sending.retry("not today");
        billing(away, IntentPolicy.defaults().retry(IN_AN_HOUR)).handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        assertThat(inbox.admin().lag(CHARGES).waiting().number()).isEqualTo(1);

        inbox.admin().park(List.of(only().selected()), Operation.of("anna", "wait"));
        assertThat(only().status()).isEqualTo(Status.PARKED);
        inbox.admin().discard(List.of(only().selected()), Operation.of("anna", "no"));
        assertThat(only().status()).isEqualTo(Status.DISCARDED);
        inbox.admin().restore(List.of(only().selected()), Operation.of("anna", "yes"));
        assertThat(only().status()).isEqualTo(Status.PARKED);
        assertThat(inbox.admin().explain(CHARGES, only().id()).toString()).contains("not today");
    }

    @Test
    void aSenderThatSaysNothingDoesNotKnow() {
        HonestProvider honest = new HonestProvider() {
            @Override
            public synchronized Sending send(Intent<Charge> intent) {
                super.send(intent);
                return null;
            }

            @Override
            public synchronized Finding reconcile(Intent<Charge> intent) {
                super.reconcile(intent);
                return null;
            }
        };
        billing(honest, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(honest.sent).hasSize(1);
        assertThat(honest.asked).hasSize(3);
        assertThat(errorsOf(only())).containsOnly("UNKNOWN");
    }

    @Test
    void whatCouldNotBeReadMeanwhileIsStillInDoubt() {
        HonestProvider honest = new HonestProvider();
        honest.says(Sending.unknown("no answer"));
        honest.finds(Finding.sent("ch_1"));
        billing(honest, IntentPolicy.defaults().retry(IN_AN_HOUR)).handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        breakPayloads();
        redrive("again");
        awaitCharges(Receipt.Kind.FAILED, 1);
        mendPayloads();
        redrive("it is mended");

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(honest.sent).hasSize(1);
        assertThat(honest.asked).hasSize(1);
    }

    @Test
    void aKeyThatTheProviderHasNeverSeenDoesNotExpire() {
        provider.says(Sending.retry("connection refused"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24)).retry(IN_AN_HOUR))
                .handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        database.run("update idembox_attempt set started_at = started_at - interval '2' day");
        inbox.admin().redrive(List.of(only().selected()), Operation.of("anna", "again"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void whatWasIntendedUnderAnOldNameIsDoneUnderTheNewOne() {
        IntentSender<Charge> away = intent -> Sending.retry("not today");
        billing(away, IntentPolicy.defaults().retry(IN_AN_HOUR)).handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        inbox.close();
        database.run("update idembox_entry set due_at = due_at - interval '2' hour");

        inbox = configure(builder()).renamed("invoicing", "billing").start();
        inbox.subscribe("invoicing")
                .intent("charge", Charge.class, provider, quick(IntentPolicy.defaults()))
                .start();

        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(provider.sent).hasSize(1);
    }

    @Test
    void aProcessThatOnlyBringsIntentsAboutHandlesNothing() {
        Subscription sender = inbox.subscribe("billing")
                .intent("charge", Charge.class, provider, quick(IntentPolicy.defaults()))
                .start();

        assertThatThrownBy(() -> sender.handle(message("a")))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("no handler");
    }
}
