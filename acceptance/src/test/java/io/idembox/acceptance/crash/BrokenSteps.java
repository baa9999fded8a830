// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.StepStore;
import io.idembox.internal.engine.Transaction;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Steps with one thing taken out. */
final class BrokenSteps {

    private BrokenSteps() {}

    /** Finishes steps of whoever has no lease any more. */
    static LeaseStore withoutFence(LeaseStore leases) {
        return with(leases, steps -> new StepDecorator(steps) {
            @Override
            public boolean finish(Transaction tx, UUID token, Finished step) {
                super.finish(tx, token, step);
                return true;
            }
        });
    }

    /** Writes that a step is finished in another transaction than its effect. */
    static LeaseStore apart(LeaseStore leases) {
        return with(leases, steps -> new StepDecorator(steps) {
            @Override
            public boolean finish(Transaction tx, UUID token, Finished step) {
                try (Transaction apart = begin()) {
                    boolean ours = super.finish(apart, token, step);
                    apart.commit();
                    return ours;
                }
            }
        });
    }

    /** Writes a name that nobody finds again. */
    static LeaseStore forgetful(LeaseStore leases) {
        return with(leases, steps -> new StepDecorator(steps) {
            @Override
            public boolean finish(Transaction tx, UUID token, Finished step) {
                return super.finish(
                        tx, token, new Finished(step.arrival(), "another " + UUID.randomUUID(), step.result()));
            }
        });
    }

    private static LeaseStore with(LeaseStore leases, UnaryOperator<StepStore> change) {
        return new LeaseDecorator(leases) {
            @Override
            public StepStore steps() {
                return change.apply(super.steps());
            }
        };
    }
}
