// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.InboxAdmin;
import io.idembox.cli.campaign.CampaignOptionGroup;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that change messages. More messages than one operation takes, or a pace, start a campaign. */
public final class CommandOptions {

    static final int MAX_LIMIT = 100_000;

    @Option(
            names = "--dry-run",
            description = "Show the messages that would change, and change none. The plan is stored; see --preview.")
    boolean dryRun;

    @Option(
            names = "--preview",
            paramLabel = "ID",
            description =
                    "Run the stored plan of a dry run on exactly its messages; messages that changed since are refused.")
    @Nullable
    String preview;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description =
                    "Process only the first N messages, without a campaign, in operations of 1000. Default: all that match.")
    @Nullable
    Integer limit;

    @Mixin
    CampaignOptionGroup pace = new CampaignOptionGroup();

    /** The maximum number of messages that are selected one by one. */
    int selectionLimit() {
        return limit == null ? InboxAdmin.LIMIT : limit;
    }

    /** The options of a command on one message. */
    static CommandOptions one(boolean dryRun) {
        CommandOptions options = new CommandOptions();
        options.dryRun = dryRun;
        options.limit = 1;
        return options;
    }
}
