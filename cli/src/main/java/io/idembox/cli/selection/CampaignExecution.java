// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.CampaignDriver;
import io.idembox.cli.campaign.CampaignFields;
import io.idembox.cli.campaign.CampaignStarter;
import io.idembox.cli.campaign.CampaignSummary;
import io.idembox.cli.campaign.RetryingCall;
import io.idembox.cli.output.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Runs a command on many messages: plans one campaign per consumer, asks for confirmation, drives them in turn. */
final class CampaignExecution {

    private static final int TRIES = 3;

    private final Invocation invocation;
    private final AdminSession adminSession;
    private final MessageCommand command;

    CampaignExecution(Invocation invocation, AdminSession adminSession, MessageCommand command) {
        this.invocation = invocation;
        this.adminSession = adminSession;
        this.command = command;
    }

    /** Plans a campaign for each consumer with matching messages. Changes no message. */
    List<Campaign> plan(
            List<String> consumers, Selection selection, CampaignOptions options, Supplier<Operation> decisions) {
        List<Campaign> plans = new ArrayList<>();
        for (String consumer : consumers) {
            for (Filter filter : selection.filters(consumer, command.byFilter())) {
                if (adminSession.admin().count(filter, 1).number() > 0) {
                    Operation decision = decisions.get().selectedBy(selection.filterText(filter));
                    plans.add(RetryingCall.on(
                            TRIES,
                            () -> adminSession.admin().campaigns().plan(command.command(), filter, options, decision)));
                }
            }
        }
        return plans;
    }

    /** Asks for confirmation and drives the campaigns in turn. When one stops early, the rest are not started. */
    int run(List<Campaign> plans) {
        if (!invocation.confirm(question(plans))) {
            invocation.printMessage("Nothing was done. The plan is kept; start it with: idembox operations start "
                    + plans.get(0).id() + " --reason \"…\".");
            return ExitCode.REFUSED;
        }
        List<Campaign> all = new ArrayList<>(plans);
        int exitCode = ExitCode.DONE;
        for (int i = 0; i < all.size() && exitCode != ExitCode.STOPPED; i++) {
            Campaign begun = CampaignStarter.start(adminSession, all.get(i), invocation.newOperation());
            all.set(i, CampaignDriver.driveToEnd(invocation, adminSession, begun));
            exitCode = Math.max(exitCode, CampaignSummary.exitCode(all.get(i)));
        }
        invocation
                .printer()
                .printOne(fields(all), all.stream().map(CampaignSummary::brief).toList());
        all.forEach(each -> invocation.printMessage(CampaignSummary.text(each)));
        return exitCode;
    }

    private String question(List<Campaign> plans) {
        int total = plans.stream().mapToInt(each -> each.progress().total()).sum();
        String of = plans.size() == 1 ? plans.get(0).consumer() : plans.size() + " consumers";
        return command.verb() + " " + CommandAction.messages(total) + " of " + of + "?";
    }

    private Fields fields(List<Campaign> all) {
        return Fields.of("command", command.toString())
                .and(
                        "done",
                        all.stream().mapToInt(each -> each.progress().done()).sum())
                .and(
                        "refused",
                        all.stream().mapToInt(each -> each.progress().refused()).sum())
                .and("campaigns", all.stream().map(CampaignFields::of).toList());
    }
}
