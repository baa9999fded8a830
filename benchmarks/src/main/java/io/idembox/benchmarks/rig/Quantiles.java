// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.Arrays;

/** How figures are spread that have a long tail. Of nothing, it is not a number. */
public record Quantiles(double p50, double p95, double p99, double max) {

    public static Quantiles of(double... figures) {
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return new Quantiles(at(sorted, 0.5), at(sorted, 0.95), at(sorted, 0.99), at(sorted, 1));
    }

    /** The smallest figure that is not exceeded by that part of them. */
    private static double at(double[] sorted, double part) {
        return sorted.length == 0 ? Double.NaN : sorted[Math.max(0, (int) Math.ceil(sorted.length * part) - 1)];
    }
}
