// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.List;

/** The verdicts of a run, and whether it passes: that depends on counts only. */
public record Scorecard(List<Goal.Verdict> results, long errors) {

    public Scorecard {
        results = List.copyOf(results);
    }

    public boolean passes() {
        return errors == 0
                && results.stream().filter(each -> each.goal().gates()).allMatch(Goal.Verdict::reached);
    }

    public String markdown() {
        Table table = new Table("goal|required|found:|verdict");
        for (Goal.Verdict result : results) {
            table.row(result.goal().what(), result.goal().required(), result.figure(), result.word());
        }
        table.row("errors", "= 0", String.valueOf(errors), errors == 0 ? "reached" : "**missed, fails the run**");
        return table.markdown();
    }
}
