// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.OnUnknown;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** M20: what a handler intends is recorded with its effect, brought about after it, and never done twice by guessing. */
class IntentDbTest extends IntentBench {

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
        assertThat(charge.history().first()).isNull();
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
            provider.says(SendResult.retry("busy"));
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
        provider.says(SendResult.failed("no such account"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24))).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(provider.sent).hasSize(1);
        assertThat(only().status()).isEqualTo(Status.FAILED_TERMINAL);
    }

    @Test
    void withoutKeyAndReconcilerWhatIsNotKnownIsLeftToAHuman() {
        provider.says(SendResult.unknown("no answer"));
        billing(provider, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(provider.sent).hasSize(1);
        assertThat(only().status()).isEqualTo(Status.PARKED);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNKNOWN");
        assertThat(String.join(" ", inbox.admin().explain(CHARGES, only().id()).sentences()))
                .contains("no answer")
                .contains("but the result is unknown")
                .contains("discard it; if not, redrive it");

        // The human found out that it was not done.
        inbox.admin().redrive(List.of(only().ref()), Operation.of("anna", "the bank has nothing"));
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
        provider.says(SendResult.unknown("no answer")).says(SendResult.unknown("no answer"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24))).handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(provider.sent).hasSize(3);
        assertThat(provider.sent.stream().map(Intent::key).distinct()).hasSize(1);
        assertThat(provider.sent.get(2).history().first()).isNotNull();
    }

    @Test
    void whenAllTriesAreUsedUpWhatIsNotKnownIsParkedAsSuch() {
        for (int i = 0; i < 4; i++) {
            provider.says(SendResult.unknown("no answer"));
        }
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24))).handle(message("a"));

        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(only().status()).isEqualTo(Status.PARKED);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNKNOWN");
    }

    @Test
    void beyondTheLifetimeOfTheKeyNothingIsTriedAgainNotEvenByARedrive() {
        provider.says(SendResult.unknown("no answer"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24)).retry(IN_AN_HOUR))
                .handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        // Two days pass before anybody looks.
        database.run(
                "update idembox_attempt set started_at = started_at - interval '2' day",
                "update idembox_entry set due_at = due_at - interval '2' day");
        inbox.admin().redrive(List.of(only().ref()), Operation.of("anna", "again"));
        awaitCharges(Receipt.Kind.FAILED, 1);

        assertThat(provider.sent).hasSize(1);
        assertThat(database.one("select state || ' ' || reason from idembox_entry"))
                .isEqualTo("PARKED KEY_EXPIRED");

        inbox.admin().redrive(List.of(only().ref()), Operation.of("anna", "I insist"));
        awaitCharges(Receipt.Kind.FAILED, 2);
        assertThat(provider.sent).hasSize(1);
    }

    @Test
    void whoAcceptsTheRiskByNameTriesAgain() {
        provider.says(SendResult.unknown("no answer"));
        billing(provider, IntentPolicy.defaults().onUnknown(OnUnknown.RISK_DOUBLE))
                .handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void aReconcilerIsAskedBeforeAnythingIsSentAgain() {
        HonestProvider honest = new HonestProvider();
        honest.says(SendResult.unknown("no answer"));
        honest.finds(ReconcileResult.stillUnknown("ask later")).finds(ReconcileResult.sent("ch_7"));
        billing(honest, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(honest.sent).hasSize(1);
        assertThat(honest.asked).hasSize(2);
        assertThat(open()).isEmpty();
    }

    @Test
    void whatTheReconcilerSaysWasNotDoneIsDone() {
        HonestProvider honest = new HonestProvider();
        honest.says(SendResult.unknown("no answer"));
        honest.finds(ReconcileResult.notSent());
        billing(honest, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(honest.asked).hasSize(1);
        assertThat(honest.sent).hasSize(2);
    }

    @Test
    void aReconcilerMayAnswerWhenTheKeyIsLongForgotten() {
        HonestProvider honest = new HonestProvider();
        honest.says(SendResult.unknown("no answer"));
        honest.finds(ReconcileResult.sent("ch_1"));
        billing(honest, IntentPolicy.keyed(Duration.ofHours(1)).retry(IN_AN_HOUR))
                .handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        database.run("update idembox_attempt set started_at = started_at - interval '2' day");
        inbox.admin().redrive(List.of(only().ref()), Operation.of("anna", "again"));

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
            public SendResult send(Intent<Charge> intent) throws Exception {
                honest.send(intent);
                inside.countDown();
                assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                return SendResult.sent("ch_1");
            }

            @Override
            public ReconcileResult reconcile(Intent<Charge> intent) {
                honest.reconcile(intent);
                return ReconcileResult.sent("ch_1");
            }
        };
        billing(slow, IntentPolicy.defaults()).handle(message("a"));
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        loseTheLease();
        awaitCharges(Receipt.Kind.COMPLETED, 1);
        goOn.countDown();

        assertThat(honest.sent).hasSize(1);
        assertThat(honest.asked).hasSize(1);
        assertThat(honest.asked.get(0).attempt()).isEqualTo(2);
    }

    @Test
    void aKeyThatTheProviderHasNeverSeenDoesNotExpire() {
        provider.says(SendResult.retry("connection refused"));
        billing(provider, IntentPolicy.keyed(Duration.ofHours(24)).retry(IN_AN_HOUR))
                .handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        database.run("update idembox_attempt set started_at = started_at - interval '2' day");
        inbox.admin().redrive(List.of(only().ref()), Operation.of("anna", "again"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void whatWasIntendedUnderAnOldNameIsDoneUnderTheNewOne() {
        IntentSender<Charge> away = intent -> SendResult.retry("not today");
        billing(away, IntentPolicy.defaults().retry(IN_AN_HOUR)).handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        inbox.close();
        database.run("update idembox_entry set due_at = due_at - interval '2' hour");

        inbox = configure(builder()).consumerAlias("invoicing", "billing").start();
        inbox.subscribe("invoicing")
                .intent("charge", Charge.class, provider, quick(IntentPolicy.defaults()))
                .start();

        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(provider.sent).hasSize(1);
    }

    @Test
    void anOperatorParksDiscardsAndRestoresWhatIsIntended() {
        IntentSender<Charge> away = intent -> SendResult.retry("not today");
        billing(away, IntentPolicy.defaults().retry(IN_AN_HOUR)).handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        assertThat(inbox.admin().lag(CHARGES).waiting().number()).isEqualTo(1);

        inbox.admin().park(List.of(only().ref()), Operation.of("anna", "wait"));
        assertThat(only().status()).isEqualTo(Status.PARKED);
        MessageId id = only().id();
        inbox.admin().discard(List.of(only().ref()), Operation.of("anna", "no"));
        InboxMessage discarded = inbox.admin().find(CHARGES, id).orElseThrow();
        assertThat(discarded.status()).isEqualTo(Status.DISCARDED);
        inbox.admin().restore(List.of(discarded.ref()), Operation.of("anna", "yes"));
        assertThat(only().status()).isEqualTo(Status.PARKED);
        assertThat(inbox.admin().explain(CHARGES, only().id()).toString()).contains("not today");
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
