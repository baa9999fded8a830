// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.jdbc.Database;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.Step;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lock that does not come in time undoes a claim: nobody calls a provider under a lease that is not there. */
class LockTimeoutDbTest {

    @ParameterizedTest
    @EnumSource(Database.class)
    void anIntentIsTriedUnderALeaseThatIsThere(Database database) {
        try (World world = new World(database)) {
            Path path = Path.named("intent-in-doubt");
            List<Step> steps =
                    new Story(world, path, BrokenEngine.NONE, "calm").tell(null).steps();
            for (FaultPlan plan : FaultPlan.enumerate(steps, List.of(Fault.sqlError("55P03")))) {
                Story.Result result =
                        new Story(world, path, BrokenEngine.NONE, "t" + plan.step() + plan.when()).tell(plan);
                assertThat(result.violation()).as(plan.toString()).isEmpty();
            }
        }
    }
}
