// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.keys;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Status;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.call.Session;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.Walk;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code idembox keys}. */
@Command(
        name = "keys",
        description = "Keys of ordered consumers.",
        footer = {"", "Example:", "  idembox keys list --blocked --consumer billing"})
public final class KeysCommand {

    private static final int LOOKED_THROUGH = 10_000;

    private final Invocation invocation;

    KeysCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = {
                "Keys whose messages wait, and who is in front of them; the longest waiting first.",
                "The first 10,000 messages that wait are looked through."
            },
            footer = {"", "Example:", "  idembox keys list --blocked --consumer billing --limit 20"})
    int list(
            @Option(names = "--consumer", required = true, paramLabel = "NAME", description = "Whose keys.")
                    String consumer,
            @Option(
                            names = "--blocked",
                            required = true,
                            description =
                                    "Those where somebody waits; others are not listed yet, so it has to be said.")
                    boolean blocked,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "How many; 100 without it.")
                    int limit) {
        if (limit < 1) {
            throw CommandException.usage("--limit is at least 1; was " + limit);
        }
        try (Session session = invocation.open()) {
            Printer.Rows rows = invocation.printer().rows(BlockedKey.COLUMNS);
            InboxAdmin admin = session.admin();
            Map<String, BlockedKey> found = new LinkedHashMap<>();
            if (!lookThrough(admin, consumer, found)) {
                invocation.say("More than " + LOOKED_THROUGH + " messages wait; those behind them are not counted.");
            }
            found.values().stream().limit(limit).forEach(key -> rows.add(key.fields(admin)));
            rows.end();
            if (found.size() > limit) {
                invocation.say("There are " + (found.size() - limit) + " more keys. --limit shows more.");
            }
        }
        return ExitCode.DONE;
    }

    /** Whether these were all. */
    private static boolean lookThrough(InboxAdmin admin, String consumer, Map<String, BlockedKey> found) {
        int[] left = {LOOKED_THROUGH};
        return Walk.through(admin, Filter.of(consumer).status(Status.WAITING), InboxAdmin.LIMIT, message -> {
            if (left[0]-- == 0) {
                return false;
            }
            String key = message.content().key();
            if (key != null) {
                BlockedKey first =
                        new BlockedKey(consumer, key, 1, message.times().receivedAt());
                found.merge(key, first, (known, again) -> known.oneMore());
            }
            return true;
        });
    }
}
