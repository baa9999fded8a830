// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.InboxConfigurationException;
import java.util.List;

/**
 * Thrown when a policy file has errors; none of its settings is used. The message is one line: the first error, and the
 * number of others.
 */
public final class PolicyFileException extends InboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    PolicyFileException(String file, List<Problem> problems) {
        super(file + ", " + problems.get(0)
                + (problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)"));
        this.problems = List.copyOf(problems);
    }

    /** All errors, in the order of the file. */
    public List<Problem> problems() {
        return problems;
    }
}
