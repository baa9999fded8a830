// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

/** Exit codes; documented in docs/cli.md. */
public final class ExitCode {

    /** Success, or the check passed. */
    public static final int DONE = 0;

    /** Something was refused or failed, or the check did not pass. */
    public static final int REFUSED = 1;

    /** Invalid usage, or the result is unknown: the database is unreachable, or its schema version differs. */
    public static final int UNKNOWN = 2;

    /** A campaign stopped before its end: too many messages failed, or an operator cancelled it. */
    public static final int STOPPED = 3;

    private ExitCode() {}
}
