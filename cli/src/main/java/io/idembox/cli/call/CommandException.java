// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import org.jspecify.annotations.Nullable;

/** Ends a command with a one-line message and an exit code. */
public final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandException(int exitCode, String words, @Nullable Throwable cause) {
        super(words, cause);
        this.exitCode = exitCode;
    }

    /** Invalid options or arguments. */
    public static CommandException usage(String words) {
        return new CommandException(ExitCode.UNKNOWN, words, null);
    }

    /** The result is unknown, because the database, Kafka or a file is not reachable. */
    public static CommandException unavailable(String words, Throwable cause) {
        return new CommandException(ExitCode.UNKNOWN, words, cause);
    }

    /** The command was refused; nothing was changed. */
    public static CommandException refused(String words) {
        return new CommandException(ExitCode.REFUSED, words, null);
    }

    public int exitCode() {
        return exitCode;
    }
}
