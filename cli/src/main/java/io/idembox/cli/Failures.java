// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import io.idembox.InboxException;
import io.idembox.SchemaMismatchException;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** What went wrong is one line, and an exit code. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {

    private final Invocation invocation;

    Failures(Invocation invocation) {
        this.invocation = invocation;
    }

    @Override
    public int handleExecutionException(Exception thrown, CommandLine commandLine, ParseResult parsed) {
        invocation.say("idembox: " + words(thrown));
        if (invocation.options().debug()) {
            PrintWriter err = invocation.world().err();
            thrown.printStackTrace(err);
            err.flush();
        }
        return exitCode(thrown);
    }

    private static String words(Exception thrown) {
        String message = thrown.getMessage();
        boolean ours = thrown instanceof InboxException
                || thrown instanceof CommandException
                || thrown instanceof IllegalArgumentException;
        if (message == null || !ours) {
            return oneLine(thrown.toString()) + ". --debug shows where.";
        }
        String advice = thrown instanceof SchemaMismatchException mismatch && mismatch.found() < mismatch.needed()
                ? " Here: idembox schema diff, then schema apply."
                : "";
        return oneLine(message) + advice;
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " ").strip();
    }

    /** What was typed is quoted, and a password is no option. */
    private static String withoutSecrets(String text) {
        return text.replaceAll("(?i)(-[\\w-]*(?:pass|secret|token)[\\w-]*)[=:][^'\\s]*", "$1=…");
    }

    private static int exitCode(Exception thrown) {
        if (thrown instanceof CommandException command) {
            return command.exitCode();
        }
        // What the library says no to is refused; everything else leaves us without an answer.
        return thrown instanceof IllegalArgumentException ? ExitCode.REFUSED : ExitCode.CANNOT_TELL;
    }

    @Override
    public int handleParseException(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        invocation.say("idembox: " + withoutSecrets(oneLine(String.valueOf(wrong.getMessage()))));
        PrintWriter err = invocation.world().err();
        UnmatchedArgumentException.printSuggestions(wrong, err);
        err.flush();
        invocation.say("Help: " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.CANNOT_TELL;
    }
}
