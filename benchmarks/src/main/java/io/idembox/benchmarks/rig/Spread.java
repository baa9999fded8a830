// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** The middle and the ends of some figures. Of nothing, it is not a number. */
public record Spread(double median, double min, double max) {

    public static Spread of(double... figures) {
        double[] sorted = figures.clone();
        java.util.Arrays.sort(sorted);
        int n = sorted.length;
        if (n == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN);
        }
        double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
        return new Spread(median, sorted[0], sorted[n - 1]);
    }

    public static <T> Spread of(List<T> many, ToDoubleFunction<T> figure) {
        return of(many.stream().mapToDouble(figure).toArray());
    }

    /** Of the ratios within each pair; not the ratio of two medians, which would compare different times. */
    public static Spread ofRatios(List<Match> matches, ToDoubleFunction<Slice> figure) {
        return of(matches, match -> figure.applyAsDouble(match.subject()) / figure.applyAsDouble(match.base()));
    }
}
