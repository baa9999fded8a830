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
        description = "List, show and release blocked keys of ordered consumers.",
        footer = {"", "Example:", "  idembox keys list --blocked --consumer billing"})
public final class KeysCommand {

    private static final int SEARCH_LIMIT = 10_000;

    private final Invocation invocation;

    KeysCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = {
                "List keys with waiting messages and the message that blocks each, longest waiting first.",
                "Only the first 10,000 waiting messages are searched."
            },
            footer = {"", "Example:", "  idembox keys list --blocked --consumer billing --limit 20"})
    int list(
            @Option(names = "--consumer", required = true, paramLabel = "NAME", description = "Name of the consumer.")
                    String consumer,
            @Option(
                            names = "--blocked",
                            required = true,
                            description = "List keys with waiting messages. Required: other keys cannot be listed yet.")
                    boolean blocked,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "Maximum number of keys to list. Default: 100.")
                    int limit) {
        if (limit < 1) {
            throw CommandException.usage("--limit must be at least 1; was " + limit);
        }
        try (AdminSession adminSession = invocation.open()) {
            Printer.Rows rows = invocation.printer().rows(BlockedKey.COLUMNS);
            InboxAdmin admin = adminSession.admin();
            Map<String, BlockedKey> found = new LinkedHashMap<>();
            if (!collectBlockedKeys(admin, consumer, found)) {
                invocation.printMessage("More than " + SEARCH_LIMIT + " messages are waiting; only the first "
                        + SEARCH_LIMIT + " are counted.");
            }
            found.values().stream().limit(limit).forEach(key -> rows.add(key.fields(admin)));
            rows.end();
            if (found.size() > limit) {
                invocation.printMessage(
                        "There are " + (found.size() - limit) + " more keys. To show them, raise --limit.");
            }
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "show",
            description = {
                "Show the queue of one key: its head, why the head is blocked, and how many messages wait behind it since when.",
                "The head is the message that blocks the others; skipped and finished messages are not part of the queue."
            },
            footer = {"", "Example:", "  idembox keys show billing 42"})
    int show(
            @Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer,
            @Parameters(paramLabel = "KEY", description = "The key.") String key,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "Maximum number of waiting messages to show. Default: 20.")
                    int limit) {
        if (limit < 1 || limit >= InboxAdmin.LIMIT) {
            throw CommandException.usage("--limit must be between 1 and " + (InboxAdmin.LIMIT - 1) + "; was " + limit);
        }
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            KeyQueue queue = KeyQueue.of(admin, consumer, key, limit);
            invocation.printer().printOne(queue.fields(admin));
            if (queue.head() == null) {
                invocation.printMessage("Key " + key + " of " + consumer + " has no unfinished messages.");
            }
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "release",
            description = {
                "Release a key: redrive its head, or discard it with --discard-head, so that the next message can run.",
                "Asks for confirmation (skip with -y), requires --reason, and changes only the message it showed. Needs --policies."
            },
            footer = {
                "",
                "Example:",
                "  idembox keys release billing 42 --policies policies.yaml --reason \"the account is open again\""
            })
    int release(
            @Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer,
            @Parameters(paramLabel = "KEY", description = "The key.") String key,
            @Option(
                            names = "--discard-head",
                            description = "Discard the head instead of redriving it; it can be restored.")
                    boolean discard,
            @Option(names = "--dry-run", description = "Show the message that would change, and change nothing.")
                    boolean dryRun) {
        return CommandAction.execute(
                invocation,
                discard ? MessageCommand.DISCARD : MessageCommand.REDRIVE,
                admin -> KeyQueue.headOf(admin, consumer, key),
                "the head of key " + key,
                dryRun);
    }

    /** Collects blocked keys; returns whether all waiting messages were read. */
    private static boolean collectBlockedKeys(InboxAdmin admin, String consumer, Map<String, BlockedKey> found) {
        int[] left = {SEARCH_LIMIT};
        return PageIterator.forEach(admin, Filter.of(consumer).status(Status.WAITING), InboxAdmin.LIMIT, message -> {
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
