// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.testkit.provider.Charge;
import java.util.List;

/**
 * Compares what was bought with what the inbox says of the charges and with the books of the provider, payment by payment. Pure.
 *
 * <p>Done is charged once. Parked is charged once or not at all, and only what nobody knows is parked. Discarded is charged once,
 * for whoever discarded it has looked. What is not known is never taken for done by itself where the policy leaves it to a human.
 * Only where somebody accepted the risk may a payment be charged more often: once more for each try that nobody knows the end of.
 */
final class Checker {

    /** How far things are. */
    enum Stage {
        /** The processes have done what they do by themselves. */
        BY_ITSELF,
        /** Whoever had to look has looked: nothing may be open any more. */
        IN_THE_END
    }

    private final Scenario scenario;
    private final Stage stage;
    private final Findings findings = new Findings();

    private Checker(Scenario scenario, Stage stage) {
        this.scenario = scenario;
        this.stage = stage;
    }

    static Findings check(Scenario scenario, Stage stage, List<Payment> payments, Ledger ledger) {
        Checker checker = new Checker(scenario, stage);
        payments.forEach(payment -> checker.check(payment, ledger));
        checker.checkNothingElse(payments.size(), ledger);
        return checker.findings;
    }

    private void checkNothingElse(int payments, Ledger ledger) {
        if (ledger.purchases().size() > payments
                || ledger.intents().size() > payments
                || ledger.charges().size() > payments) {
            findings.misjudged("there are purchases, intents or charges that nobody asked for: "
                    + ledger.purchases().size() + ", " + ledger.intents().size() + ", "
                    + ledger.charges().size() + " for " + payments + " payments");
        }
    }

    private void check(Payment payment, Ledger ledger) {
        int bought = ledger.purchases().getOrDefault(payment.id(), 0);
        if (bought != 1) {
            findings.misjudged(payment + " was bought " + bought + " times; its message is "
                    + ledger.unhandled().getOrDefault(payment.id(), "handled, or unknown"));
        }
        List<Charge> charges = ledger.charges().getOrDefault(payment.id(), List.of());
        findings.charged += charges.size();
        if (charges.stream().anyMatch(charge -> charge.cents() != payment.cents())) {
            findings.misjudged(payment + " was charged with another amount: " + charges);
        }
        Ledger.Intended intended = ledger.intents().get(payment.id());
        if (intended == null) {
            findings.missing(payment + " has no intent, and " + charges.size() + " charges");
            return;
        }
        findings.unknown += intended.unknown();
        findings.expired += intended.expired();
        checkStatus(payment, intended, charges.size());
        checkCount(payment, intended, charges.size());
    }

    private void checkStatus(Payment payment, Ledger.Intended intended, int charges) {
        switch (intended.status()) {
            case "COMPLETED" -> {
                if (charges == 0) {
                    findings.missing(payment + " is said to be charged: " + intended);
                }
                if (scenario.asksAHuman() && stage == Stage.BY_ITSELF && intended.doubts() > 0) {
                    findings.misjudged(payment + " was in doubt, and nobody was asked: " + intended);
                }
            }
            case "PARKED" -> checkParked(payment, intended);
            case "DISCARDED" -> {
                if (charges == 0) {
                    findings.missing(payment + " is given up: " + intended);
                }
                if (!scenario.asksAHuman() || stage == Stage.BY_ITSELF) {
                    findings.misjudged(payment + " is given up, and nobody was asked to: " + intended);
                }
            }
            default -> findings.inDoubt(payment + " is open: " + intended);
        }
    }

    /** Three processes that ended with it in hand look like one that ends processes, whatever the policy says. */
    private void checkParked(Payment payment, Ledger.Intended intended) {
        findings.parked++;
        boolean crashed = "CRASH".equals(intended.reason()) && intended.expired() >= 3;
        boolean left = PaymentWorker.UNKNOWN.equals(intended.reason()) && scenario.asksAHuman();
        if (!(crashed || left) || intended.doubts() == 0) {
            findings.misjudged(payment + " is parked: " + intended);
        }
        if (stage == Stage.IN_THE_END) {
            findings.inDoubt(payment + " is still parked: " + intended);
        }
    }

    private void checkCount(Payment payment, Ledger.Intended intended, int charges) {
        if (charges < 2) {
            return;
        }
        if (scenario.mayDouble() && charges <= 1 + intended.doubts()) {
            findings.risked++;
        } else {
            findings.doubled(payment + " was charged " + charges + " times: " + intended);
        }
    }
}
