// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.shell;

import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code idembox completion}: a script for the shell. */
@Command(
        name = "completion",
        description = "Prints a script that lets the shell complete commands and options.",
        footer = {"", "Example:", "  source <(idembox completion bash)"})
public final class CompletionCommand {

    private final Invocation invocation;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    CompletionCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "bash",
            description = "For bash.",
            footer = {"", "Example:", "  source <(idembox completion bash)"})
    int bash() {
        print("");
        return ExitCode.DONE;
    }

    /** zsh runs the script of bash when it is told to. */
    @Command(
            name = "zsh",
            description = "For zsh.",
            footer = {"", "Example:", "  source <(idembox completion zsh)"})
    int zsh() {
        print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n");
        return ExitCode.DONE;
    }

    private void print(String first) {
        invocation
                .world()
                .out()
                .print(first + AutoComplete.bash("idembox", spec.root().commandLine()));
        invocation.world().out().flush();
    }
}
