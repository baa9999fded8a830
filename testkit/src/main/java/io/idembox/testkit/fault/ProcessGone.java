// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

/**
 * Simulates the crash of the process: code that meets it must not get anything done any more. It is an {@link Error},
 * so code that catches exceptions lets it pass; code that catches it nevertheless meets it again at its next JDBC or
 * broker call.
 */
public final class ProcessGone extends Error {

    private static final long serialVersionUID = 1L;

    ProcessGone() {
        super("This process has crashed: an injected fault ended it and its database sessions", null, false, false);
    }
}
