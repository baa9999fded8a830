// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.status;

import io.idembox.admin.InboxAdmin;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.ConsumerScope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Prints the status of consumers and reports exceeded thresholds. */
public final class StatusReport {

    private StatusReport() {}

    /**
     * Prints one row per consumer.
     *
     * @param failOn thresholds, such as {@code parked=1}
     */
    public static int print(Invocation invocation, ConsumerScope scope, List<String> failOn) {
        StatusThresholds statusThresholds = StatusThresholds.parse(failOn);
        List<String> complaints = new ArrayList<>();
        Instant now = invocation.now();
        try (AdminSession adminSession = invocation.open()) {
            Printer.Rows rows = invocation.printer().rows(ConsumerStatus.COLUMNS);
            InboxAdmin admin = adminSession.admin();
            for (String consumer : scope.members(admin.consumers())) {
                ConsumerStatus status = ConsumerStatus.of(admin, consumer);
                rows.add(status.fields(now));
                complaints.addAll(statusThresholds.violations(status, now));
            }
            rows.end();
        }
        complaints.forEach(invocation::printMessage);
        return complaints.isEmpty() ? ExitCode.DONE : ExitCode.REFUSED;
    }
}
