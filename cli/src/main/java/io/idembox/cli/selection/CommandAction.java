// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.InboxException;
import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.CampaignStarter;
import io.idembox.cli.output.Fields;
import java.util.List;
import java.util.function.Function;

/**
 * Runs a command on the selected messages: finds them, asks for confirmation, executes, and reports the results. Up
 * to {@link InboxAdmin#LIMIT} messages, or those within {@code --limit}, run in batches, and each refused message is
 * reported; more messages run as a campaign.
 */
public final class CommandAction {

    private static final String PREVIEW = "preview; the reason is given at start";

    private final Invocation invocation;
    private final MessageCommand command;
    private final CommandOptions options;

    private CommandAction(Invocation invocation, MessageCommand command, CommandOptions options) {
        this.invocation = invocation;
        this.command = command;
        this.options = options;
    }

    public static int execute(
            Invocation invocation,
            MessageCommand command,
            ConsumerScope scope,
            SelectionOptions selectionOptions,
            CommandOptions options) {
        Selection selection = Selection.of(selectionOptions, scope.named(), invocation.now());
        CommandAction commandAction = new CommandAction(invocation, command, options);
        return options.preview == null
                ? commandAction.run(scope, selection)
                : commandAction.runPreview(options.preview, scope, selection);
    }

    /**
     * Runs a command on one message, which is looked up when the command runs.
     *
     * @param found how the message was found, for the audit trail
     * @param dryRun whether to show the message only
     */
    public static int execute(
            Invocation invocation,
            MessageCommand command,
            Function<InboxAdmin, InboxMessage> whom,
            String found,
            boolean dryRun) {
        if (!dryRun) {
            invocation.newOperation();
        }
        CommandAction commandAction = new CommandAction(invocation, command, CommandOptions.one(dryRun));
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            SelectedMessages selected = new SelectedMessages(admin, command, 1, dryRun);
            selected.add(whom.apply(admin));
            String words = Selection.truncate(found);
            return dryRun
                    ? commandAction.preview(selected, List.of())
                    : commandAction.runBatches(
                            selected,
                            admin,
                            consumer -> invocation.newOperation().selectedBy(words));
        }
    }

    private int run(ConsumerScope scope, Selection selection) {
        check(scope, selection);
        // Fails at once when --reason is missing, before messages are searched.
        if (!options.dryRun) {
            invocation.newOperation();
        }
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            SelectedMessages selected = new SelectedMessages(admin, command, options.selectionLimit(), options.dryRun);
            List<String> all = admin.consumers();
            List<String> whose = scope.among(all, selection);
            whose.forEach(consumer -> selected.select(consumer, selection));
            if (selected.size() == 0) {
                selection.unknownConsumerWarning(all).ifPresent(invocation::printMessage);
            }
            if (options.dryRun) {
                return preview(selected, storePreview(adminSession, selected, whose, selection));
            }
            return needsCampaign(selected)
                    ? runCampaigns(adminSession, whose, selection)
                    : runBatches(selected, admin, consumer -> decision(consumer, selection));
        }
    }

    /** An operation with the filter. Messages selected by id need none: the audit trail lists them. */
    private Operation decision(String consumer, Selection selection) {
        Operation decision = invocation.newOperation();
        return selection.ids().isEmpty()
                ? decision.selectedBy(selection.filterText(
                        selection.filters(consumer, command.byFilter()).get(0)))
                : decision;
    }

    private void check(ConsumerScope scope, Selection selection) {
        if (selection.isEverything() && !scope.narrowed()) {
            throw CommandException.usage("Specify which messages to " + command
                    + ": a consumer, ids, or another filter option. See --help.");
        }
        if (!selection.ids().isEmpty() && selection.consumer().isEmpty()) {
            throw CommandException.usage(
                    "--id needs a consumer (or --destination, --intent): each consumer has its own message with that id.");
        }
        if (options.limit != null && (options.limit < 1 || options.limit > CommandOptions.MAX_LIMIT)) {
            throw CommandException.usage(
                    "--limit must be between 1 and " + CommandOptions.MAX_LIMIT + "; was " + options.limit);
        }
        options.pace.pace();
        if (options.pace.isGiven() && (options.limit != null || !selection.ids().isEmpty())) {
            throw CommandException.usage("--canary, --rate and --stop-on-failures apply to all messages that match a"
                    + " filter; they cannot be combined with " + (options.limit == null ? "--id" : "--limit") + ".");
        }
    }

    private boolean needsCampaign(SelectedMessages selected) {
        boolean tooMany = options.limit == null && selected.matching().number() > InboxAdmin.LIMIT;
        return selected.size() > 0 && (options.pace.isGiven() || tooMany);
    }

    private int runCampaigns(AdminSession adminSession, List<String> whose, Selection selection) {
        CampaignExecution campaignExecution = new CampaignExecution(invocation, adminSession, command);
        return campaignExecution.run(
                campaignExecution.plan(whose, selection, options.pace.pace(), invocation::newOperation));
    }

    /** Stores the preview, when it covers all matches. A database user without write access still sees it. */
    private List<Campaign> storePreview(
            AdminSession adminSession, SelectedMessages selected, List<String> whose, Selection selection) {
        if (selected.size() == 0 || options.limit != null || !selection.ids().isEmpty()) {
            return List.of();
        }
        try {
            return new CampaignExecution(invocation, adminSession, command)
                    .plan(whose, selection, options.pace.pace(), () -> invocation.newOperationOr(PREVIEW));
        } catch (InboxException | IllegalArgumentException unkept) {
            invocation.printMessage("The preview was not stored: " + unkept.getMessage());
            return List.of();
        }
    }

    private int preview(SelectedMessages selected, List<Campaign> plans) {
        int planned = plans.stream().mapToInt(each -> each.progress().total()).sum();
        invocation
                .printer()
                .printOne(Fields.of("command", command.toString())
                        .and("dryRun", true)
                        .and("selected", plans.isEmpty() ? selected.size() : planned)
                        .and("matching", selected.matching())
                        .and(
                                "previews",
                                plans.stream()
                                        .map(each -> Fields.of("preview", each.id())
                                                .and("consumer", each.consumer())
                                                .and("messages", each.progress().total()))
                                        .toList())
                        .and(
                                "unknown",
                                selected.unknown().stream()
                                        .map(each -> each.id().toString())
                                        .toList())
                        .and(
                                "messages",
                                selected.all().stream()
                                        .map(MessageFields::brief)
                                        .toList()));
        if (planned > selected.all().size()) {
            invocation.printMessage("Only the first " + selected.all().size() + " messages are shown.");
        }
        plans.forEach(each -> invocation.printMessage("Preview " + each.id() + " holds "
                + messages(each.progress().total()) + " of " + each.consumer()
                + " as they are now. Run it: --preview " + each.id() + " --reason \"…\"."));
        return ExitCode.DONE;
    }

    /** Runs a stored preview, which fixes everything except the reason. */
    private int runPreview(String id, ConsumerScope scope, Selection selection) {
        boolean more = !selection.isEverything() || scope.narrowed() || options.limit != null;
        if (more || options.dryRun || options.pace.isGiven()) {
            throw CommandException.usage(
                    "--preview already fixes the messages and the pace; it cannot be combined with options that set them.");
        }
        invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            Campaign planned = CampaignStarter.findPlanned(adminSession, id);
            if (planned.command() != command.command()) {
                throw CommandException.refused("Preview " + id + " is for another command: its messages are "
                        + planned.command().done() + ", not " + command.done() + ".");
            }
            return new CampaignExecution(invocation, adminSession, command).run(List.of(planned));
        }
    }

    private int runBatches(SelectedMessages selected, InboxAdmin admin, Function<String, Operation> decisions) {
        if (selected.size() > 0 && !invocation.confirm(question(selected))) {
            invocation.printMessage("Nothing was done.");
            return ExitCode.REFUSED;
        }
        BatchedExecution batchedExecution = new BatchedExecution(
                admin,
                command,
                decisions,
                sofar -> invocation.progress(sofar.done() + sofar.refused() + " of " + selected.size() + " …"));
        selected.byConsumer().forEach(batchedExecution::execute);
        selected.unknown().forEach(batchedExecution.outcome()::add);
        return report(selected, batchedExecution.outcome());
    }

    private String question(SelectedMessages selected) {
        String of = selected.byConsumer().size() == 1
                ? selected.byConsumer().keySet().iterator().next()
                : selected.byConsumer().size() + " consumers";
        String beyond = selected.matching().number() == selected.size() ? "" : " (" + selected.matching() + " match)";
        return command.verb() + " " + messages(selected.size()) + " of " + of + beyond + "?";
    }

    private int report(SelectedMessages selected, CommandSummary summary) {
        invocation.printer().printOne(summary.fields());
        int others = selected.matching().number() - selected.size();
        String left = others == 0
                ? ""
                : "; " + (selected.matching().exact() ? "" : "at least ") + others + " more match beyond --limit";
        invocation.printMessage(
                selected.size() == 0 && summary.refused() == 0
                        ? "No messages match."
                        : summary.done() + " of " + messages(summary.done() + summary.refused()) + " " + command.done()
                                + left + ".");
        if (summary.isOrderUnknown()) {
            invocation.printMessage(
                    "Ordered consumers accept commands only when their policy is known: pass the file with --policies.");
        }
        return summary.refused() == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    static String messages(int number) {
        return number == 1 ? "1 message" : number + " messages";
    }
}
