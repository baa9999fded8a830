// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import org.jspecify.annotations.Nullable;

/** A command ends here, with one line for people. */
public final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandException(int exitCode, String words, @Nullable Throwable cause) {
        super(words, cause);
        this.exitCode = exitCode;
    }

    /** What was typed cannot be meant. */
    public static CommandException usage(String words) {
        return new CommandException(ExitCode.CANNOT_TELL, words, null);
    }

    /** Nobody can tell, because something is away. */
    public static CommandException away(String words, Throwable cause) {
        return new CommandException(ExitCode.CANNOT_TELL, words, cause);
    }

    /** It is not done, and for a reason. */
    public static CommandException refused(String words) {
        return new CommandException(ExitCode.REFUSED, words, null);
    }

    public int exitCode() {
        return exitCode;
    }
}
