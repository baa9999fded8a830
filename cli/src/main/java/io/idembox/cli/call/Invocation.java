// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.admin.Operation;
import io.idembox.cli.output.OutputFormat;
import io.idembox.cli.output.Printer;
import io.idembox.cli.output.TerminalText;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** One call of the command line: what was said for all commands, and what is around it. Not thread-safe. */
public final class Invocation {

    private static final String BEGIN_AND_CLEAR = "\r\u001b[2K";

    private final GlobalOptions options;
    private final CommandEnvironment environment;

    public Invocation(GlobalOptions options, CommandEnvironment environment) {
        this.options = options;
        this.environment = environment;
    }

    public GlobalOptions options() {
        return options;
    }

    public CommandEnvironment world() {
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

    /** The form that was asked for; empty when none was. */
    public Optional<OutputFormat> form() {
        return Optional.ofNullable(options.format);
    }

    /** Data goes there. */
    public Printer printer() {
        return printer(form().orElse(OutputFormat.TEXT));
    }

    public Printer printer(OutputFormat format) {
        return format.on(environment.out());
    }

    /** Whether nobody reads the data any more, as behind {@code head}. */
    public boolean readerIsGone() {
        return environment.out().checkError();
    }

    /** Words for people, one line. */
    public void say(String words) {
        environment.err().print(TerminalText.of(words) + "\n");
        environment.err().flush();
    }

    /** How far it is; only where somebody watches. */
    public void progress(String words) {
        if (environment.terminals().err()) {
            say(words);
        }
    }

    /** The same in place of what was there before, until {@link #leaveLine}. */
    public void redraw(String words) {
        if (environment.terminals().err()) {
            environment.err().print(BEGIN_AND_CLEAR + TerminalText.of(words));
            environment.err().flush();
        }
    }

    /** What was drawn stays; words come below it. */
    public void leaveLine() {
        if (environment.terminals().err()) {
            environment.err().print("\n");
            environment.err().flush();
        }
    }

    /** A new decision, by whoever it is, for the reason that was given. */
    public Operation decision() {
        if (options.reason == null) {
            throw CommandException.usage("Say why, with --reason: it is kept with what is done.");
        }
        return decisionFor(options.reason);
    }

    /** The same for what changes no message: whoever gives no reason has this one. */
    public Operation decisionOr(String otherwise) {
        return decisionFor(options.reason == null ? otherwise : options.reason);
    }

    private Operation decisionFor(String reason) {
        String by = options.by == null ? System.getProperty("user.name", "unknown") : options.by;
        try {
            return Operation.of(by, reason);
        } catch (IllegalArgumentException unfit) {
            throw CommandException.usage(String.valueOf(unfit.getMessage()));
        }
    }

    /** Asks, unless that is not wanted. Silence is no. */
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
