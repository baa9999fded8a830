// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.status;

import io.idembox.admin.InboxAdmin;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.call.Session;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Prints how consumers stand, and says what is bad about it. */
public final class StatusReport {

    private StatusReport() {}

    /**
     * One line for each of them.
     *
     * @param failOn such as {@code parked=1}
     */
    public static int print(Invocation invocation, Scope scope, List<String> failOn) {
        Thresholds thresholds = Thresholds.parse(failOn);
        List<String> complaints = new ArrayList<>();
        Instant now = invocation.now();
        try (Session session = invocation.open()) {
            Printer.Rows rows = invocation.printer().rows(Standing.COLUMNS);
            InboxAdmin admin = session.admin();
            for (String consumer : scope.members(admin.consumers())) {
                Standing standing = Standing.of(admin, consumer);
                rows.add(standing.fields(now));
                complaints.addAll(thresholds.complaints(standing, now));
            }
            rows.end();
        }
        complaints.forEach(invocation::say);
        return complaints.isEmpty() ? ExitCode.DONE : ExitCode.REFUSED;
    }
}
