// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.shell;

import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Fields;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code idembox version}. */
@Command(
        name = "version",
        description = "Show the versions of Idembox and Java.",
        footer = {"", "Example:", "  idembox version -o json"})
public final class VersionCommand implements Callable<Integer> {

    private final Invocation invocation;

    VersionCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Override
    public Integer call() {
        String java = System.getProperty("java.version");
        invocation
                .printer()
                .printOne(
                        Fields.of("version", Version.number()).and("java", java),
                        List.of("idembox " + Version.number() + ", Java " + java));
        return ExitCode.DONE;
    }
}
