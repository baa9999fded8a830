// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.InboxAdmin;
import picocli.CommandLine.Option;

/** The options of everything that changes messages. */
public final class OrderOptions {

    static final int MOST = 100_000;

    @Option(names = "--dry-run", description = "Shows what would be done to which messages, and does nothing.")
    boolean dryRun;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "How many at most; 1000 without it. Every 1000 are an operation of their own.")
    int limit = InboxAdmin.LIMIT;

    /** For a command that is about one message. */
    static OrderOptions one(boolean dryRun) {
        OrderOptions options = new OrderOptions();
        options.dryRun = dryRun;
        options.limit = 1;
        return options;
    }
}
