// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.Locale;

/**
 * What a run should reach.
 *
 * @param gates whether missing it fails the run: only for what is counted, never for what depends on seconds
 */
public record Goal(String what, Side side, double limit, boolean gates) {

    /** On which side of its limit a figure should be. */
    public enum Side {
        AT_LEAST("≥"),
        AT_MOST("≤");

        private final String sign;

        Side(String sign) {
            this.sign = sign;
        }
    }

    /** A speed: said, but no gate. */
    public static Goal atLeast(double limit, String what) {
        return new Goal(what, Side.AT_LEAST, limit, false);
    }

    /** A time: said, but no gate. */
    public static Goal atMost(double limit, String what) {
        return new Goal(what, Side.AT_MOST, limit, false);
    }

    /** A count: missing it fails the run. */
    public static Goal gateAtMost(double limit, String what) {
        return new Goal(what, Side.AT_MOST, limit, true);
    }

    public Verdict judge(double found) {
        return new Verdict(this, found);
    }

    String required() {
        return side.sign + " " + limit;
    }

    /** A goal and what was found. */
    public record Verdict(Goal goal, double found) {

        /** Not a number means that nothing was found, which reaches no goal. */
        public boolean reached() {
            return switch (goal.side) {
                case AT_LEAST -> found >= goal.limit;
                case AT_MOST -> found <= goal.limit;
            };
        }

        String word() {
            return reached() ? "reached" : goal.gates ? "**missed, fails the run**" : "**missed**";
        }

        String figure() {
            return String.format(Locale.ROOT, found < 0.1 ? "%.3f" : "%.2f", found);
        }
    }
}
