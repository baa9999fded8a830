// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

/**
 * The process is gone: whoever meets this must not get anything done any more. It is an {@link Error} so that code which
 * catches exceptions lets it pass; code which catches it nevertheless meets it again at its next JDBC or broker call.
 */
public final class ProcessGone extends Error {

    private static final long serialVersionUID = 1L;

    ProcessGone() {
        super(
                "This process is gone: an injected fault ended it, and its database sessions with it",
                null,
                false,
                false);
    }
}
