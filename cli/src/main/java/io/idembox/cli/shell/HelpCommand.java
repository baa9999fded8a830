// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.shell;

import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code idembox help}. */
@Command(
        name = "help",
        description = "Show the help of a command.",
        footer = {"", "Example:", "  idembox help parked redrive"})
public final class HelpCommand implements Callable<Integer> {

    private final Invocation invocation;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "Name of the command. Default: idembox itself.")
    private List<String> words = new ArrayList<>();

    HelpCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Override
    public Integer call() {
        CommandLine command = spec.root().commandLine();
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                throw CommandException.usage("There is no command " + String.join(" ", words) + ".");
            }
            command = next;
        }
        command.usage(invocation.environment().out(), spec.commandLine().getColorScheme());
        invocation.environment().out().flush();
        return ExitCode.DONE;
    }
}
