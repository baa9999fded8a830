// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.replay;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.CampaignFields;
import io.idembox.cli.campaign.CampaignOptionGroup;
import io.idembox.cli.campaign.CampaignStarter;
import io.idembox.cli.campaign.CampaignSummary;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.TimeConverter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code idembox replay}. */
@Command(
        name = "replay",
        description = {
            "Replay settled messages: handle them again, to rebuild what their handlers wrote. The policy of the consumer decides"
                    + " whether this is allowed, so --policies is required. PostgreSQL only.",
            "A replay is a campaign: list, cancel and resume it with idembox operations."
        },
        footer = {"", "Example:", "  idembox replay plan balances --policies policies.yaml"})
public final class ReplayCommand {

    private static final String PREVIEW = "plan; the reason is given at start";

    private final Invocation invocation;

    ReplayCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "plan",
            description =
                    "Show what a replay would do, and store the plan. Exits with 1 when the replay is not allowed.",
            footer = {
                "",
                "Example:",
                "  idembox replay plan balances --from 2026-03-01 --canary 100 --rate 500/s --policies policies.yaml"
            })
    int plan(
            @Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer,
            @Mixin RangeOptions options,
            @Mixin CampaignOptionGroup campaignOptionGroup) {
        CampaignOptions pace = campaignOptionGroup.pace();
        ReplayRange range = options.range(consumer, invocation.now());
        try (AdminSession adminSession = invocation.open()) {
            CampaignStarter.checkPolicy(adminSession, consumer);
            ReplayPlan plan = adminSession.admin().replays().plan(range, pace, invocation.newOperationOr(PREVIEW));
            invocation.printer().printOne(PlanFields.of(plan, pace), PlanFields.text(plan));
            if (plan.refusal() != null) {
                return ExitCode.REFUSED;
            }
            invocation.printMessage(PlanFields.nextCommand(plan));
        }
        return ExitCode.DONE;
    }

    /** The options that select the messages to replay. */
    static final class RangeOptions {

        @Option(
                names = "--from",
                paramLabel = "TIME",
                description = "Received at or after: 24h (ago), 2026-03-01, or 2026-03-01T12:00:00Z.")
        @Nullable
        String from;

        @Option(names = "--to", paramLabel = "TIME", description = "Received before this time.")
        @Nullable
        String to;

        @Option(names = "--type", paramLabel = "TYPE", description = "Event type.")
        @Nullable
        String type;

        @Option(names = "--key", paramLabel = "KEY", description = "Key of the message.")
        @Nullable
        String key;

        ReplayRange range(String consumer, Instant now) {
            try {
                return new ReplayRange(
                        consumer,
                        from == null ? null : TimeConverter.instant("--from", from, now),
                        to == null ? null : TimeConverter.instant("--to", to, now),
                        type,
                        key);
            } catch (IllegalArgumentException notMeant) {
                throw CommandException.usage(String.valueOf(notMeant.getMessage()));
            }
        }
    }

    @Command(
            name = "run",
            description = {
                "Start a planned replay, or resume a stopped one, and drive it to its end. Ctrl-C leaves it running.",
                "Exits with 3 when it stops before its end."
            },
            footer = {
                "",
                "Example:",
                "  idembox replay run 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c --first \"truncate table balance\" --policies policies.yaml"
                        + " --reason \"a column was added\""
            })
    int run(
            @Parameters(paramLabel = "ID", description = "Id of the plan.") String id,
            @Mixin PreparationOptions first) {
        return ReplayDriver.run(invocation, id, first.text());
    }

    @Command(
            name = "status",
            description = "Show the state of a replay; without an id, list the latest replays.",
            footer = {"", "Example:", "  idembox replay status"})
    int status(
            @Parameters(paramLabel = "ID", arity = "0..1", description = "Id of the replay. Default: all.") @Nullable
                    String id) {
        try (AdminSession adminSession = invocation.open()) {
            if (id == null) {
                Printer.Rows rows = invocation.printer().rows(CampaignFields.COLUMNS);
                adminSession.admin().campaigns().latest(InboxAdmin.LIMIT).stream()
                        .filter(each -> each.command() == io.idembox.admin.Command.REPLAY)
                        .forEach(each -> rows.add(CampaignFields.of(each)));
                rows.end();
            } else {
                Campaign replay = ReplayDriver.find(adminSession, id);
                invocation.printer().printOne(CampaignFields.of(replay));
                invocation.printMessage(CampaignSummary.text(replay));
            }
        }
        return ExitCode.DONE;
    }
}
