// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import static io.idembox.acceptance.payments.Checker.Stage.BY_ITSELF;
import static io.idembox.acceptance.payments.Checker.Stage.IN_THE_END;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.testkit.provider.Charge;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** One payment, in all the ways it can end: those that have to be found are found, and the others are not. */
class CheckerTest {

    private static final Payment PAYMENT = new Payment(7);

    private static Ledger ledger(int bought, Ledger.Intended intended, int charges) {
        Charge charge = new Charge("ch_1", "key", PAYMENT.id(), PAYMENT.cents(), Instant.EPOCH);
        return new Ledger(
                Map.of(PAYMENT.id(), bought),
                Map.of(),
                Map.of(PAYMENT.id(), intended),
                charges == 0 ? Map.of() : Map.of(PAYMENT.id(), Collections.nCopies(charges, charge)));
    }

    private static Ledger.Intended intended(String status, String reason, int unknown, int expired) {
        return new Ledger.Intended("key", status, reason, unknown, expired);
    }

    private static Findings check(Scenario scenario, Checker.Stage stage, Ledger ledger) {
        return Checker.check(scenario, stage, List.of(PAYMENT), ledger);
    }

    @ParameterizedTest
    @EnumSource
    void doneAndChargedOnceIsFine(Scenario scenario) {
        Findings findings = check(scenario, IN_THE_END, ledger(1, intended("COMPLETED", null, 0, 0), 1));

        assertThat(findings.areFine()).isTrue();
        assertThat(findings.charged).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void doneAndNotChargedIsMissing(Scenario scenario) {
        assertThat(check(scenario, IN_THE_END, ledger(1, intended("COMPLETED", null, 1, 0), 0)).missing)
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RISK_DOUBLE")
    void chargedTwiceIsDoubled(Scenario scenario) {
        assertThat(check(scenario, IN_THE_END, ledger(1, intended("COMPLETED", null, 5, 0), 2)).doubled)
                .isEqualTo(1);
    }

    @Test
    void chargedOnceMoreForEachDoubtIsTheRiskThatWasAcceptedAndMoreThanThatIsNot() {
        Ledger.Intended twiceInDoubt = intended("COMPLETED", null, 1, 1);

        Findings three = check(Scenario.RISK_DOUBLE, IN_THE_END, ledger(1, twiceInDoubt, 3));
        Findings four = check(Scenario.RISK_DOUBLE, IN_THE_END, ledger(1, twiceInDoubt, 4));

        assertThat(three.areFine()).isTrue();
        assertThat(three.risked).isEqualTo(1);
        assertThat(four.doubled).isEqualTo(1);
    }

    @Test
    void whatNobodyIntendedIsMissing() {
        Ledger nothing = new Ledger(Map.of(PAYMENT.id(), 1), Map.of(), Map.of(), Map.of());

        assertThat(check(Scenario.KEYS, IN_THE_END, nothing).missing).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0", "2"})
    void whatWasNotBoughtOnceIsMisjudged(int bought) {
        Findings findings = check(Scenario.KEYS, IN_THE_END, ledger(bought, intended("COMPLETED", null, 0, 0), 1));

        assertThat(findings.areFine()).isFalse();
    }

    @Test
    void anotherAmountIsMisjudged() {
        Charge other = new Charge("ch_1", "key", PAYMENT.id(), PAYMENT.cents() + 1, Instant.EPOCH);
        Ledger ledger = new Ledger(
                Map.of(PAYMENT.id(), 1),
                Map.of(),
                Map.of(PAYMENT.id(), intended("COMPLETED", null, 0, 0)),
                Map.of(PAYMENT.id(), List.of(other)));

        assertThat(check(Scenario.KEYS, IN_THE_END, ledger).areFine()).isFalse();
    }

    @Test
    void aChargeThatNobodyAskedForIsMisjudged() {
        Ledger ledger = ledger(1, intended("COMPLETED", null, 0, 0), 1);
        Charge strange = new Charge("ch_2", "other", "p999", 100, Instant.EPOCH);
        Ledger more = new Ledger(
                ledger.purchases(),
                ledger.unhandled(),
                ledger.intents(),
                Map.of(PAYMENT.id(), ledger.charges().get(PAYMENT.id()), "p999", List.of(strange)));

        assertThat(check(Scenario.KEYS, IN_THE_END, more).areFine()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"RECEIVED", "IN_PROGRESS", "FAILED_RETRYABLE", "FAILED_TERMINAL"})
    void whatIsOpenIsInDoubt(String status) {
        assertThat(check(Scenario.KEYS, BY_ITSELF, ledger(1, intended(status, "UNKNOWN", 1, 0), 1))
                        .areFine())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "PARK, UNKNOWN, 1, 0, true",
        "PARK, UNKNOWN, 0, 1, true",
        "PARK, UNKNOWN, 0, 0, false",
        "PARK, CRASH, 0, 3, true",
        "PARK, CRASH, 0, 2, false",
        "PARK, OPERATOR, 1, 0, false",
        "KEYS, CRASH, 0, 3, true",
        "KEYS, UNKNOWN, 12, 0, false",
        "RECONCILE, UNKNOWN, 1, 0, false",
        "RISK_DOUBLE, UNKNOWN, 1, 0, false"
    })
    void parkedIsOnlyWhatThePolicyParksAndOnlyUntilSomebodyHasLooked(
            Scenario scenario, String reason, int unknown, int expired, boolean fine) {
        Ledger ledger = ledger(1, intended("PARKED", reason, unknown, expired), 1);

        Findings findings = check(scenario, BY_ITSELF, ledger);

        assertThat(findings.areFine()).isEqualTo(fine);
        assertThat(findings.parked).isEqualTo(1);
        assertThat(check(scenario, IN_THE_END, ledger).areFine()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "0, 1"})
    void whereAHumanHasToLookNothingThatWasInDoubtIsDoneByItself(int unknown, int expired) {
        Ledger ledger = ledger(1, intended("COMPLETED", null, unknown, expired), 1);

        assertThat(check(Scenario.PARK, BY_ITSELF, ledger).areFine()).isFalse();
        assertThat(check(Scenario.PARK, IN_THE_END, ledger).areFine()).isTrue();
        assertThat(check(Scenario.RECONCILE, BY_ITSELF, ledger).areFine()).isTrue();
    }

    @Test
    void givenUpIsOnlyWhatWasChargedAndOnlyByAHuman() {
        Ledger.Intended discarded = intended("DISCARDED", "OPERATOR", 1, 0);

        assertThat(check(Scenario.PARK, IN_THE_END, ledger(1, discarded, 1)).areFine())
                .isTrue();
        assertThat(check(Scenario.PARK, IN_THE_END, ledger(1, discarded, 0)).missing)
                .isEqualTo(1);
        assertThat(check(Scenario.PARK, BY_ITSELF, ledger(1, discarded, 1)).areFine())
                .isFalse();
        assertThat(check(Scenario.KEYS, IN_THE_END, ledger(1, discarded, 1)).areFine())
                .isFalse();
    }
}
