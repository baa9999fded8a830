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

/** Reports an error as one line and maps it to an exit code. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {

    private final Invocation invocation;

    Failures(Invocation invocation) {
        this.invocation = invocation;
    }

    @Override
    public int handleExecutionException(Exception thrown, CommandLine commandLine, ParseResult parsed) {
        invocation.printMessage("idembox: " + messageOf(thrown));
        if (invocation.options().debug()) {
            PrintWriter err = invocation.environment().err();
            thrown.printStackTrace(err);
            err.flush();
        }
        return exitCode(thrown);
    }

    private static String messageOf(Exception thrown) {
        String message = thrown.getMessage();
        boolean ours = thrown instanceof InboxException
                || thrown instanceof CommandException
                || thrown instanceof IllegalArgumentException;
        if (message == null || !ours) {
            return oneLine(thrown.toString()) + ". Use --debug for the stack trace.";
        }
        String advice = thrown instanceof SchemaMismatchException mismatch && mismatch.found() < mismatch.needed()
                ? " Run idembox schema diff, then idembox schema apply."
                : "";
        return oneLine(message) + advice;
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " ").strip();
    }

    /** Masks the value of an option that looks like a secret: the error message quotes the arguments. */
    private static String withoutSecrets(String text) {
        return text.replaceAll("(?i)(-[\\w-]*(?:pass|secret|token)[\\w-]*)[=:][^'\\s]*", "$1=…");
    }

    private static int exitCode(Exception thrown) {
        if (thrown instanceof CommandException command) {
            return command.exitCode();
        }
        // An invalid argument is a refusal by the library; after any other exception the result is unknown.
        return thrown instanceof IllegalArgumentException ? ExitCode.REFUSED : ExitCode.UNKNOWN;
    }

    @Override
    public int handleParseException(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        invocation.printMessage("idembox: " + withoutSecrets(oneLine(String.valueOf(wrong.getMessage()))));
        PrintWriter err = invocation.environment().err();
        UnmatchedArgumentException.printSuggestions(wrong, err);
        err.flush();
        invocation.printMessage("For usage, run: " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.UNKNOWN;
    }
}
