// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.InboxAdmin;
import io.idembox.cli.campaign.CampaignOptionGroup;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of everything that changes messages. More than a command takes, or any word about the pace, make it a campaign. */
public final class CommandOptions {

    static final int MOST = 100_000;

    @Option(
            names = "--dry-run",
            description =
                    "Shows what would be done to which messages, and does nothing. The plan is kept, under the id of the preview.")
    boolean dryRun;

    @Option(
            names = "--preview",
            paramLabel = "ID",
            description = "Exactly the messages of a dry run, as they were: one that has changed since is refused.")
    @Nullable
    String preview;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description =
                    "The first ones only, without a campaign; every 1000 are an operation of their own. All that match without it.")
    @Nullable
    Integer limit;

    @Mixin
    CampaignOptionGroup pace = new CampaignOptionGroup();

    /** How many are looked at one by one. */
    int most() {
        return limit == null ? InboxAdmin.LIMIT : limit;
    }

    /** For a command that is about one message. */
    static CommandOptions one(boolean dryRun) {
        CommandOptions options = new CommandOptions();
        options.dryRun = dryRun;
        options.limit = 1;
        return options;
    }
}
