// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import io.idembox.InboxConfigurationException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Which combinations are refused, and why. */
final class Refusals {

    private Refusals() {}

    /** The reason a combination is refused for; empty when it is not. */
    static Optional<String> reasonOf(Combination combination) {
        try {
            combination.policy();
            return Optional.empty();
        } catch (InboxConfigurationException refused) {
            return Optional.of(refused.getMessage());
        }
    }

    /** The table of {@code docs/configuration.md}: a row for each way that is refused, whatever the other policies are. */
    static String table() {
        Map<String, String> rows = new TreeMap<>();
        for (Combination each : Combination.all()) {
            reasonOf(each)
                    .ifPresent(reason -> rows.putIfAbsent(
                            String.format(
                                    "| `%s` | `%s` | `%s` | %s |",
                                    Combination.word(each.way().mode()),
                                    each.way().by().map(Combination::word).orElse("not set"),
                                    Combination.word(each.way().ordering()),
                                    each.isNumbered() ? "yes" : "no"),
                            reason));
        }
        StringBuilder table = new StringBuilder("| `mode` | `retry.by` | `ordering` | `sequence` | Refused because |\n")
                .append("|---|---|---|---|---|\n");
        rows.forEach((row, reason) -> table.append(row)
                .append(' ')
                .append(reason, 0, reason.indexOf(':'))
                .append(" |\n"));
        return table.toString();
    }
}
