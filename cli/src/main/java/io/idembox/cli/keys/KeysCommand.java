// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.keys;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Status;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.CommandAction;
import io.idembox.cli.selection.MessageCommand;
import io.idembox.cli.selection.PageIterator;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code idembox keys}. */
@Command(
        name = "keys",
        description = "Keys of ordered consumers: who holds them up, and how they go on.",
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
        try (AdminSession adminSession = invocation.open()) {
            Printer.Rows rows = invocation.printer().rows(BlockedKey.COLUMNS);
            InboxAdmin admin = adminSession.admin();
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

    @Command(
            name = "show",
            description = {
                "The queue of one key: who holds it and why, how many wait behind it and since when.",
                "Only a message that keeps the others waiting is the head; one that was skipped or finished is not."
            },
            footer = {"", "Example:", "  idembox keys show billing 42"})
    int show(
            @Parameters(paramLabel = "CONSUMER", description = "Whose key.") String consumer,
            @Parameters(paramLabel = "KEY", description = "The key.") String key,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "How many of those behind are shown; 20 without it.")
                    int limit) {
        if (limit < 1 || limit >= InboxAdmin.LIMIT) {
            throw CommandException.usage("--limit is 1 to " + (InboxAdmin.LIMIT - 1) + "; was " + limit);
        }
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            KeyQueue queue = KeyQueue.of(admin, consumer, key, limit);
            invocation.printer().thing(queue.fields(admin));
            if (queue.head() == null) {
                invocation.say("Nothing of key " + key + " of " + consumer + " is unfinished.");
            }
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "release",
            description = {
                "Lets a key go on: redrives its head, or gives it up with --discard-head, so that the next one goes.",
                "Looks first, asks (-y: not), and does it to the message it has seen. Give the policy with --policies."
            },
            footer = {
                "",
                "Example:",
                "  idembox keys release billing 42 --policies policies.yaml --reason \"the account is open again\""
            })
    int release(
            @Parameters(paramLabel = "CONSUMER", description = "Whose key.") String consumer,
            @Parameters(paramLabel = "KEY", description = "The key.") String key,
            @Option(names = "--discard-head", description = "Gives the head up for good; it may be restored.")
                    boolean discard,
            @Option(names = "--dry-run", description = "Shows what would be done to which message, and does nothing.")
                    boolean dryRun) {
        return CommandAction.give(
                invocation,
                discard ? MessageCommand.DISCARD : MessageCommand.REDRIVE,
                admin -> KeyQueue.headOf(admin, consumer, key),
                "the head of key " + key,
                dryRun);
    }

    /** Whether these were all. */
    private static boolean lookThrough(InboxAdmin admin, String consumer, Map<String, BlockedKey> found) {
        int[] left = {LOOKED_THROUGH};
        return PageIterator.through(admin, Filter.of(consumer).status(Status.WAITING), InboxAdmin.LIMIT, message -> {
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
