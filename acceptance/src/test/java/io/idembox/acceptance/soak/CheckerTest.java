// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A history in which all is well is fine; with one thing changed it is not, and the right thing is said. */
class CheckerTest {

    private static final History.Row COMPLETED = new History.Row("COMPLETED", null, 0, null);
    private static final History.Row PARKED = new History.Row("PARKED", "CRASH", 3, null);

    private final Workload workload = new Workload(200, 10, 1);
    private final List<Workload.Item> line = workload.byKey().get(0);
    private final Workload.Item item = line.get(3);
    private final History history = new History("direct");
    private final Set<Workload.Item> acked = new HashSet<>(workload.items());
    private final Set<Workload.Item> passed = new HashSet<>(workload.items());

    CheckerTest() {
        for (Workload.Item each : workload.items()) {
            history.effects().put(each.id(), new ArrayList<>(List.of((long) each.nr())));
            history.rows().put(each.id(), COMPLETED);
        }
    }

    private Findings found() {
        Checker checker = new Checker(workload, acked::contains);
        checker.check(history, passed::contains);
        return checker.findings();
    }

    private void becomes(Workload.Item which, History.Row row) {
        history.effects().remove(which.id());
        history.rows().put(which.id(), row);
    }

    private void everythingBehindItWaits() {
        line.subList(item.sequenceNumber() + 1, line.size())
                .forEach(each -> becomes(each, new History.Row("WAITING", null, 0, null)));
    }

    @Test
    void whatWasDoneOnceAndInOrderIsFine() {
        Findings findings = found();

        assertThat(findings.areFine()).isTrue();
        assertThat(findings.effects).isEqualTo(200);
    }

    @Test
    void anEffectThatIsGoneIsALoss() {
        history.effects().remove(item.id());

        assertThat(found().lost).isEqualTo(1);
    }

    @Test
    void whatTheBrokerWasToldAndTheDatabaseDoesNotKnowIsALoss() {
        history.effects().remove(item.id());
        history.rows().remove(item.id());

        assertThat(found().lost).isEqualTo(1);
    }

    @Test
    void whatTheBrokerStillHasIsStuck() {
        history.effects().remove(item.id());
        history.rows().remove(item.id());
        passed.remove(item);

        Findings findings = found();

        assertThat(findings.lost).isZero();
        assertThat(findings.stuck).isEqualTo(1);
    }

    @Test
    void whatTheBrokerNeverAcknowledgedIsNobodysLoss() {
        history.effects().remove(item.id());
        history.rows().remove(item.id());
        acked.remove(item);

        assertThat(found().areFine()).isTrue();
    }

    @Test
    void aSecondEffectIsADuplicate() {
        history.effects().get(item.id()).add(1_000L);
        line.subList(item.sequenceNumber() + 1, line.size())
                .forEach(each -> history.effects().put(each.id(), List.of(2_000L + each.nr())));

        Findings findings = found();

        assertThat(findings.duplicated).isEqualTo(1);
        assertThat(findings.reordered).isZero();
    }

    @Test
    void anEffectOfWhatIsNotSettledIsADuplicate() {
        history.rows().put(item.id(), PARKED);

        assertThat(found().duplicated).isEqualTo(1);
    }

    @Test
    void anEffectWithoutAMarkIsADuplicate() {
        history.rows().remove(item.id());

        assertThat(found().duplicated).isEqualTo(1);
    }

    @Test
    void anEffectInFrontOfAnEarlierOneIsOutOfOrder() {
        history.effects().put(item.id(), List.of(-2L));

        assertThat(found().reordered).isEqualTo(1);
    }

    @Test
    void whoWaitsBehindAParkedOneIsFine() {
        becomes(item, PARKED);
        everythingBehindItWaits();

        Findings findings = found();

        assertThat(findings.areFine()).isTrue();
        assertThat(findings.parked).isEqualTo(1);
        assertThat(findings.waiting).isEqualTo(line.size() - 1 - item.sequenceNumber());
    }

    @Test
    void whoPassesAParkedOneIsOutOfOrder() {
        becomes(item, PARKED);

        assertThat(found().reordered).isEqualTo(line.size() - 1 - item.sequenceNumber());
    }

    @Test
    void whoWaitsForNobodyIsStuck() {
        becomes(item, new History.Row("WAITING", null, 0, null));

        assertThat(found().stuck).isEqualTo(1);
    }

    @Test
    void whoIsStillToBeDoneIsStuck() {
        becomes(item, new History.Row("FAILED_RETRYABLE", null, 0, null));

        assertThat(found().stuck).isEqualTo(1);
    }

    @Test
    void whoIsParkedForAnotherReasonIsMisjudged() {
        becomes(item, new History.Row("PARKED", "UNREADABLE", 0, null));
        everythingBehindItWaits();

        assertThat(found().misjudged).isEqualTo(1);
    }

    @Test
    void whoIsGivenUpIsMisjudged() {
        becomes(item, new History.Row("FAILED_TERMINAL", null, 0, null));
        everythingBehindItWaits();

        assertThat(found().misjudged).isEqualTo(1);
    }
}
