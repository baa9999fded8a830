// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.admin.Operation;
import io.idembox.cli.output.OutputFormat;
import io.idembox.cli.output.Printer;
import io.idembox.cli.output.TerminalText;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** One call of the command line: its global options and its environment. Not thread-safe. */
public final class Invocation {

    private static final String CLEAR_LINE = "\r\u001b[2K";

    private final GlobalOptions options;
    private final CommandEnvironment environment;

    public Invocation(GlobalOptions options, CommandEnvironment environment) {
        this.options = options;
        this.environment = environment;
    }

    public GlobalOptions options() {
        return options;
    }

    public CommandEnvironment environment() {
        return environment;
    }

    public Instant now() {
        return environment.clock().instant();
    }

    public DatabaseSession openDatabase() {
        return DatabaseSession.open(options, environment);
    }

    public AdminSession open() {
        return AdminSession.open(openDatabase());
    }

    public String tablePrefix() {
        return options.tablePrefix;
    }

    /** The requested output format; empty when {@code -o} is absent. */
    public Optional<OutputFormat> outputFormat() {
        return Optional.ofNullable(options.format);
    }

    /** The printer for data, on standard output. */
    public Printer printer() {
        return printer(outputFormat().orElse(OutputFormat.TEXT));
    }

    public Printer printer(OutputFormat format) {
        return format.on(environment.out());
    }

    /** Whether the reader of standard output closed the pipe, such as {@code head}. */
    public boolean isOutputClosed() {
        return environment.out().checkError();
    }

    /** Prints one line for the user to standard error. */
    public void printMessage(String words) {
        environment.err().print(TerminalText.of(words) + "\n");
        environment.err().flush();
    }

    /** Prints a progress line, only to a terminal. */
    public void progress(String words) {
        if (environment.terminals().err()) {
            printMessage(words);
        }
    }

    /** Overwrites the progress line until {@link #endLine}; only on a terminal. */
    public void redraw(String words) {
        if (environment.terminals().err()) {
            environment.err().print(CLEAR_LINE + TerminalText.of(words));
            environment.err().flush();
        }
    }

    /** Ends the progress line; later output starts below it. */
    public void endLine() {
        if (environment.terminals().err()) {
            environment.err().print("\n");
            environment.err().flush();
        }
    }

    /** Creates an operation with a new id, the operator's name and the required {@code --reason}. */
    public Operation newOperation() {
        if (options.reason == null) {
            throw CommandException.usage("--reason is required: it is recorded with the operation.");
        }
        return operationFor(options.reason);
    }

    /** Creates an operation for a command that changes no message, with a default reason. */
    public Operation newOperationOr(String otherwise) {
        return operationFor(options.reason == null ? otherwise : options.reason);
    }

    private Operation operationFor(String reason) {
        String by = options.by == null ? System.getProperty("user.name", "unknown") : options.by;
        try {
            return Operation.of(by, reason);
        } catch (IllegalArgumentException unfit) {
            throw CommandException.usage(String.valueOf(unfit.getMessage()));
        }
    }

    /** Asks for confirmation, unless {@code -y} is given. No answer means no. */
    public boolean confirm(String question) {
        if (options.yes) {
            return true;
        }
        environment.err().print(TerminalText.of(question) + " [y/N] ");
        environment.err().flush();
        try {
            String answer = environment.in().readLine();
            return answer != null
                    && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
        } catch (IOException gone) {
            return false;
        }
    }
}
