// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A fault at a numbered step, before or after it. Immutable.
 *
 * @param step the number of the step, counted from 1
 */
public record FaultPlan(int step, When when, Fault fault) {

    /** Whether the call has been made when the fault happens. */
    public enum When {
        BEFORE,
        AFTER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public FaultPlan {
        if (step < 1) {
            throw new IllegalArgumentException("Steps are counted from 1, was " + step);
        }
        Objects.requireNonNull(when, "when");
        Objects.requireNonNull(fault, "fault");
    }

    public static FaultPlan before(int step, Fault fault) {
        return new FaultPlan(step, When.BEFORE, fault);
    }

    public static FaultPlan after(int step, Fault fault) {
        return new FaultPlan(step, When.AFTER, fault);
    }

    /** Every fault at every step, before and after it, where it can happen. */
    public static List<FaultPlan> enumerate(List<Step> steps, Collection<Fault> faults) {
        List<FaultPlan> plans = new ArrayList<>();
        for (Step step : steps) {
            for (When when : When.values()) {
                for (Fault fault : faults) {
                    if (fault.canHappenAt(step, when)) {
                        plans.add(new FaultPlan(step.number(), when, fault));
                    }
                }
            }
        }
        return plans;
    }

    /** Parses a plan written by {@link #toString}, so that a printed failure can be repeated. */
    public static FaultPlan parse(String text) {
        String[] parts = text.strip().split("/", -1);
        if (parts.length < 3 || parts.length > 4) {
            throw new IllegalArgumentException(
                    "A plan looks like 7/after/CONNECTION_LOST or 3/before/SQL_ERROR/40001; was " + text);
        }
        return new FaultPlan(
                Integer.parseInt(parts[0]),
                When.valueOf(parts[1].toUpperCase(Locale.ROOT)),
                new Fault(Fault.Kind.valueOf(parts[2]), parts.length == 4 ? parts[3] : null));
    }

    /** One line that {@link #parse} accepts: {@code 7/after/CONNECTION_LOST}. */
    @Override
    public String toString() {
        return step + "/" + when + "/" + fault.kind() + (fault.sqlState() == null ? "" : "/" + fault.sqlState());
    }
}
