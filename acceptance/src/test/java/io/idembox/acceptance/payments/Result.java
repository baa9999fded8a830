// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What came of one scenario, or of several.
 *
 * @param figures by name, in the order in which they are told
 * @param well whether everything is as it has to be
 */
record Result(List<Scenario> scenarios, Map<String, Long> figures, boolean well) {

    static Result none() {
        return new Result(List.of(), Map.of(), true);
    }

    /** Both together. */
    Result and(Result other) {
        List<Scenario> all = new ArrayList<>(scenarios);
        all.addAll(other.scenarios);
        Map<String, Long> sums = new LinkedHashMap<>(figures);
        other.figures.forEach((name, figure) -> sums.merge(name, figure, Long::sum));
        return new Result(all, sums, well && other.well);
    }

    /** Payments that were charged more than once, although no policy allows that. */
    long doubled() {
        return figures.get("doubled");
    }

    /** Payments that should have been charged and were not. */
    long missing() {
        return figures.get("missing");
    }

    /** In one line. */
    @Override
    public String toString() {
        return "payments scenario=" + joined(scenarios)
                + figures.entrySet().stream()
                        .map(figure -> " " + figure.getKey() + "=" + figure.getValue())
                        .collect(Collectors.joining());
    }

    private static String joined(List<Scenario> scenarios) {
        return scenarios.stream().map(Scenario::toString).collect(Collectors.joining(","));
    }
}
