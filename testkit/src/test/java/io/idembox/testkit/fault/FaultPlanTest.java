// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class FaultPlanTest {

    private static Step step(int number, Step.Kind kind, boolean commits) {
        return new Step(number, kind, "x", "y", commits);
    }

    @Test
    void aPrintedPlanCanBeRepeated() {
        for (Fault fault : Fault.all()) {
            FaultPlan plan = FaultPlan.after(7, fault);

            assertThat(FaultPlan.parse(plan.toString())).isEqualTo(plan);
        }
        assertThat(FaultPlan.after(7, Fault.CONNECTION_LOST)).hasToString("7/after/CONNECTION_LOST");
        assertThatIllegalArgumentException().isThrownBy(() -> FaultPlan.parse("7"));
    }

    @Test
    void noErrorIsPlannedAfterACommit() {
        List<FaultPlan> plans = FaultPlan.enumerate(
                List.of(
                        step(1, Step.Kind.COMMIT, true),
                        step(2, Step.Kind.EXECUTE, true),
                        step(3, Step.Kind.EXECUTE, false)),
                List.of(Fault.sqlError("40001")));

        assertThat(plans)
                .extracting(FaultPlan::toString)
                .containsExactly(
                        "1/before/SQL_ERROR/40001",
                        "2/before/SQL_ERROR/40001",
                        "3/before/SQL_ERROR/40001",
                        "3/after/SQL_ERROR/40001");
    }

    @Test
    void everyStepHasSixCrashPoints() {
        List<Step> steps = List.of(step(1, Step.Kind.CONNECT, false), step(2, Step.Kind.ACKNOWLEDGE, true));

        assertThat(FaultPlan.enumerate(steps, List.of(Fault.GONE, Fault.CONNECTION_LOST, Fault.PAUSED)))
                .hasSize(12);
    }

    @Test
    void faultsRequireTheirArguments() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault(Fault.Kind.SQL_ERROR, null));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault(Fault.Kind.GONE, "40001"));
        assertThatIllegalArgumentException().isThrownBy(() -> Fault.sqlError("'; x"));
        assertThatIllegalArgumentException().isThrownBy(() -> FaultPlan.before(0, Fault.GONE));
    }
}
