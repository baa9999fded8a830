// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Receipt;
import io.idembox.admin.Operation;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.policy.IntentPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What may have been done stays in doubt until the provider or a human has said what became of it, whatever comes between. */
class IntentDoubtDbTest extends IntentBench {

    private void redrive(String why) {
        inbox.admin().redrive(List.of(only().ref()), Operation.of("anna", why));
    }

    /** A sender that takes its worker along, as the end of its process would, the first time. */
    private IntentSender<Charge> deadly(Runnable before) {
        return intent -> {
            provider.send(intent);
            if (intent.attempt() == 1) {
                before.run();
                throw new AssertionError("as if the process had ended");
            }
            return SendResult.sent("ch_1");
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
    void whoeverRedrivesItWithoutHavingBeenAskedIsAskedFirst() {
        provider.says(SendResult.unknown("no answer"));
        billing(provider, IntentPolicy.defaults()).handle(message("a"));
        awaitCharges(Receipt.Kind.FAILED, 1);
        // As if three processes had ended with it: what people are told then says nothing of the provider.
        database.run(
                "update idembox_entry set reason = 'CRASH', crashes = 3, failures = 0",
                "update idembox_attempt set error_class = 'LeaseExpired'");

        redrive("the processes are well again");
        awaitCharges(Receipt.Kind.FAILED, 2);
        assertThat(provider.sent).hasSize(1);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNKNOWN");

        redrive("the bank has nothing");
        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(provider.sent).hasSize(2);
    }

    @Test
    void whatIsNotFoundIsNotSentWhenTheProviderMayHaveForgottenTheKey() {
        HonestProvider honest = new HonestProvider();
        honest.says(SendResult.unknown("no answer"));
        honest.finds(ReconcileResult.notSent()).finds(ReconcileResult.sent("ch_1"));
        billing(honest, IntentPolicy.keyed(Duration.ofHours(1)).retry(IN_AN_HOUR))
                .handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        database.run("update idembox_attempt set started_at = started_at - interval '2' day");

        redrive("again");

        awaitCharges(Receipt.Kind.FAILED, 1);
        assertThat(honest.asked).hasSize(1);
        assertThat(honest.sent).hasSize(1);
        assertThat(database.one("select state || ' ' || reason from idembox_entry"))
                .isEqualTo("PARKED KEY_EXPIRED");

        // It is still in doubt: whoever redrives it has the provider asked, and nothing else.
        redrive("ask again");
        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(honest.asked).hasSize(2);
        assertThat(honest.sent).hasSize(1);
    }

    @Test
    void whatCannotBeReadForAWhileIsInDoubtAsBefore() {
        HonestProvider honest = new HonestProvider();
        honest.says(SendResult.unknown("no answer"));
        honest.finds(ReconcileResult.sent("ch_1"));
        billing(honest, IntentPolicy.defaults().retry(IN_AN_HOUR)).handle(message("a"));
        awaitCharges(Receipt.Kind.STORED, 1);
        breakPayloads();
        redrive("at once");
        awaitCharges(Receipt.Kind.FAILED, 1);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("UNREADABLE");
        mendPayloads();

        redrive("it can be read again");

        awaitCharges(Receipt.Kind.COMPLETED, 1);
        assertThat(honest.asked).hasSize(1);
        assertThat(honest.sent).hasSize(1);
    }

    /** Otherwise whoever asks more often than it has to be patient would never be told that nothing was done. */
    @Test
    void howLongAgoTheLastTryWasIsNotChangedByQuestions() {
        HonestProvider bank = new HonestProvider() {
            @Override
            public synchronized ReconcileResult reconcile(Intent<Charge> intent) {
                database.run("update idembox_attempt set ended_at = ended_at - interval '1' hour where number = 1");
                return super.reconcile(intent);
            }
        };
        bank.finds(ReconcileResult.stillUnknown("ask later"))
                .finds(ReconcileResult.stillUnknown("ask later"))
                .says(SendResult.unknown("no answer"));

        billing(bank, IntentPolicy.defaults()).handle(message("a"));
        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(bank.asked)
                .extracting(intent -> intent.history().sinceLast().toHours())
                .containsExactly(0L, 1L, 2L);
    }

    @Test
    void whoSaysNothingDoesNotKnow() {
        List<Intent<Charge>> sent = new CopyOnWriteArrayList<>();
        List<Intent<Charge>> asked = new CopyOnWriteArrayList<>();
        ReconcilingSender<Charge> mute = new ReconcilingSender<>() {
            @Override
            public SendResult send(Intent<Charge> intent) {
                sent.add(intent);
                return null;
            }

            @Override
            public ReconcileResult reconcile(Intent<Charge> intent) {
                asked.add(intent);
                return asked.size() == 1 ? null : ReconcileResult.sent("ch_1");
            }
        };
        billing(mute, IntentPolicy.defaults()).handle(message("a"));

        awaitCharges(Receipt.Kind.COMPLETED, 1);

        assertThat(sent).hasSize(1);
        assertThat(asked).hasSize(2);
    }
}
