// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.shell;

import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code idembox completion}: shell completion scripts. */
@Command(
        name = "completion",
        description = "Print a shell completion script.",
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
            description = "Print the script for bash.",
            footer = {"", "Example:", "  source <(idembox completion bash)"})
    int bash() {
        print("");
        return ExitCode.DONE;
    }

    /** zsh runs the bash script after loading bashcompinit. */
    @Command(
            name = "zsh",
            description = "Print the script for zsh.",
            footer = {"", "Example:", "  source <(idembox completion zsh)"})
    int zsh() {
        print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n");
        return ExitCode.DONE;
    }

    private void print(String first) {
        invocation
                .environment()
                .out()
                .print(first + AutoComplete.bash("idembox", spec.root().commandLine()));
        invocation.environment().out().flush();
    }
}
