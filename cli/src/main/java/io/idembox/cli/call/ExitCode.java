// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

/** How a command ends; docs/cli.md has them. */
public final class ExitCode {

    /** It is done, or the check is passed. */
    public static final int DONE = 0;

    /** Something was refused or failed, or the check is not passed. */
    public static final int REFUSED = 1;

    /** It was typed wrong, or nobody can tell: the database is away, or its tables are others. */
    public static final int CANNOT_TELL = 2;

    /** A campaign stands still before its end: too many failed, or somebody gave it up. */
    public static final int STOPPED = 3;

    private ExitCode() {}
}
