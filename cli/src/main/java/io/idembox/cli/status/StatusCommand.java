// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.status;

import io.idembox.cli.call.Invocation;
import io.idembox.cli.selection.ConsumerScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code idembox status}. */
@Command(
        name = "status",
        description = {
            "Show backlog, messages that need attention and pauses of each consumer, including outbox destinations and intents.",
            "Counts stop at 10,000 and are then shown as \"at least\"."
        },
        footer = {"", "Example, for a monitor:", "  idembox status --fail-on parked=1,oldest=5m"})
public final class StatusCommand implements Callable<Integer> {

    private final Invocation invocation;

    @Option(
            names = "--fail-on",
            paramLabel = "METRIC=N",
            split = ",",
            description = "Exit with 1 when a consumer reaches a threshold: parked=N, waiting=N, oldest=TIME.")
    private List<String> failOn = new ArrayList<>();

    StatusCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Override
    public Integer call() {
        return StatusReport.print(invocation, ConsumerScope.all(), failOn);
    }
}
