// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.Step;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link CrashWindows} test: the fault and the step at which it happens. The first run has no fault. A
 * test method may take it as a parameter. Immutable.
 */
public final class CrashWindow {

    static final CrashWindow NO_FAULT = new CrashWindow(null, null);

    private final @Nullable FaultPlan plan;
    private final @Nullable Step step;

    private CrashWindow(@Nullable FaultPlan plan, @Nullable Step step) {
        this.plan = plan;
        this.step = step;
    }

    static CrashWindow at(FaultPlan plan, Step step) {
        return new CrashWindow(plan, step);
    }

    /** The fault of this run; empty in the first run. */
    public Optional<FaultPlan> plan() {
        return Optional.ofNullable(plan);
    }

    /** The step at which the fault happens, as recorded in the first run; empty in the first run. */
    public Optional<Step> step() {
        return Optional.ofNullable(step);
    }

    boolean isPause() {
        return plan != null && plan.fault().kind() == Fault.Kind.PAUSED;
    }

    /** A readable form: {@code step 11 · after commit · connection lost}. */
    @Override
    public String toString() {
        if (plan == null || step == null) {
            return "no fault";
        }
        String what = step.kind() == Step.Kind.EXECUTE
                ? "\"" + step.what() + "\"" + (step.byHandler() ? " of the handler" : "")
                : step.kind().name().toLowerCase(Locale.ROOT) + (step.byHandler() ? " of the handler" : "");
        return "step " + step.number() + " · " + plan.when() + " " + what + " · "
                + (isPause() ? "paused while the redelivery runs" : plan.fault());
    }
}
