// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

import java.util.Collection;
import java.util.stream.Collectors;

/** Formats the violations of a guarantee. Pure. */
final class ViolationText {

    private static final int NAMED = 10;

    private ViolationText() {}

    /** Fails if any were found, naming the first ten. */
    static void none(Collection<String> found, History history, String what, String lookAt) {
        if (found.isEmpty()) {
            return;
        }
        String named = found.stream().limit(NAMED).collect(Collectors.joining(", "));
        String more = found.size() > NAMED ? " and " + (found.size() - NAMED) + " more" : "";
        throw new AssertionError(
                found.size() + " " + what + ": " + named + more + ". " + lookAt + " (" + history.summary() + ")");
    }
}
