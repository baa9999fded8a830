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
 * Does something to the messages that are meant: looks, asks, does it, and tells what became of them. Few are done in pieces, each
 * told message by message; very many are a campaign.
 */
public final class CommandAction {

    private static final String PREVIEW = "a preview; whoever starts it says why";

    private final Invocation invocation;
    private final MessageCommand command;
    private final CommandOptions options;

    private CommandAction(Invocation invocation, MessageCommand command, CommandOptions options) {
        this.invocation = invocation;
        this.command = command;
        this.options = options;
    }

    public static int give(
            Invocation invocation,
            MessageCommand command,
            ConsumerScope scope,
            SelectionOptions selectionOptions,
            CommandOptions options) {
        Selection selection = Selection.of(selectionOptions, scope.named(), invocation.now());
        CommandAction commandAction = new CommandAction(invocation, command, options);
        return options.preview == null
                ? commandAction.run(scope, selection)
                : commandAction.asPreviewed(options.preview, scope, selection);
    }

    /**
     * The same for one message, whoever that is when it is looked for.
     *
     * @param found how it is found, in words
     * @param dryRun whether it is only shown
     */
    public static int give(
            Invocation invocation,
            MessageCommand command,
            Function<InboxAdmin, InboxMessage> whom,
            String found,
            boolean dryRun) {
        if (!dryRun) {
            invocation.decision();
        }
        CommandAction commandAction = new CommandAction(invocation, command, CommandOptions.one(dryRun));
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            SelectedMessages selected = new SelectedMessages(admin, command, 1, dryRun);
            selected.add(whom.apply(admin));
            String words = Selection.kept(found);
            return dryRun
                    ? commandAction.preview(selected, List.of())
                    : commandAction.doTo(
                            selected, admin, consumer -> invocation.decision().selectedBy(words));
        }
    }

    private int run(ConsumerScope scope, Selection selection) {
        check(scope, selection);
        // Before anything is looked for: whoever forgot the reason is told at once.
        if (!options.dryRun) {
            invocation.decision();
        }
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            SelectedMessages selected = new SelectedMessages(admin, command, options.most(), options.dryRun);
            List<String> all = admin.consumers();
            List<String> whose = scope.among(all, selection);
            whose.forEach(consumer -> selected.pick(consumer, selection));
            if (selected.size() == 0) {
                selection.unseen(all).ifPresent(invocation::say);
            }
            if (options.dryRun) {
                return preview(selected, kept(adminSession, selected, whose, selection));
            }
            return isMass(selected)
                    ? inCampaigns(adminSession, whose, selection)
                    : doTo(selected, admin, consumer -> decision(consumer, selection));
        }
    }

    /** With how the messages were found; those that were named are in the trail themselves. */
    private Operation decision(String consumer, Selection selection) {
        Operation decision = invocation.decision();
        return selection.ids().isEmpty()
                ? decision.selectedBy(selection.words(
                        selection.filters(consumer, command.byFilter()).get(0)))
                : decision;
    }

    private void check(ConsumerScope scope, Selection selection) {
        if (selection.isEverything() && !scope.narrowed()) {
            throw CommandException.usage("Say which messages to " + command
                    + ": a consumer, ids, or any other part of a filter. See --help.");
        }
        if (!selection.ids().isEmpty() && selection.consumer().isEmpty()) {
            throw CommandException.usage("Say whose message it is: the same id is another message for every consumer.");
        }
        if (options.limit != null && (options.limit < 1 || options.limit > CommandOptions.MOST)) {
            throw CommandException.usage("--limit is 1 to " + CommandOptions.MOST + "; was " + options.limit);
        }
        options.pace.pace();
        if (options.pace.isGiven() && (options.limit != null || !selection.ids().isEmpty())) {
            throw CommandException.usage("--canary, --rate and --stop-on-failures are for all messages that a filter"
                    + " finds; they do not go with " + (options.limit == null ? "--id" : "--limit") + ".");
        }
    }

    private boolean isMass(SelectedMessages selected) {
        boolean tooMany = options.limit == null && selected.matching().number() > InboxAdmin.LIMIT;
        return selected.size() > 0 && (options.pace.isGiven() || tooMany);
    }

    private int inCampaigns(AdminSession adminSession, List<String> whose, Selection selection) {
        CampaignExecution campaignExecution = new CampaignExecution(invocation, adminSession, command);
        return campaignExecution.run(
                campaignExecution.plan(whose, selection, options.pace.pace(), invocation::decision));
    }

    /** What is shown is kept, if it is all that matches. Whoever may look and not write sees it all the same. */
    private List<Campaign> kept(
            AdminSession adminSession, SelectedMessages selected, List<String> whose, Selection selection) {
        if (selected.size() == 0 || options.limit != null || !selection.ids().isEmpty()) {
            return List.of();
        }
        try {
            return new CampaignExecution(invocation, adminSession, command)
                    .plan(whose, selection, options.pace.pace(), () -> invocation.decisionOr(PREVIEW));
        } catch (InboxException | IllegalArgumentException unkept) {
            invocation.say("The preview is not kept: " + unkept.getMessage());
            return List.of();
        }
    }

    private int preview(SelectedMessages selected, List<Campaign> plans) {
        int planned = plans.stream().mapToInt(each -> each.progress().total()).sum();
        invocation
                .printer()
                .thing(Fields.of("command", command.toString())
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
            invocation.say("Only the first " + selected.all().size() + " are shown.");
        }
        plans.forEach(each -> invocation.say("Preview " + each.id() + " keeps "
                + messages(each.progress().total()) + " of " + each.consumer()
                + " as they are now. Do exactly that: --preview " + each.id() + " --reason \"…\"."));
        return ExitCode.DONE;
    }

    /** What was planned says everything but why. */
    private int asPreviewed(String id, ConsumerScope scope, Selection selection) {
        boolean more = !selection.isEverything() || scope.narrowed() || options.limit != null;
        if (more || options.dryRun || options.pace.isGiven()) {
            throw CommandException.usage(
                    "--preview says which messages and how fast: nothing else of that goes with it.");
        }
        invocation.decision();
        try (AdminSession adminSession = invocation.open()) {
            Campaign planned = CampaignStarter.planned(adminSession, id);
            if (planned.command() != command.command()) {
                throw CommandException.refused("In preview " + id + " messages are "
                        + planned.command().done() + ", not " + command.done() + ".");
            }
            return new CampaignExecution(invocation, adminSession, command).run(List.of(planned));
        }
    }

    private int doTo(SelectedMessages selected, InboxAdmin admin, Function<String, Operation> decisions) {
        if (selected.size() > 0 && !invocation.confirm(question(selected))) {
            invocation.say("Nothing was done.");
            return ExitCode.REFUSED;
        }
        BatchedExecution batchedExecution = new BatchedExecution(
                admin,
                command,
                decisions,
                sofar -> invocation.progress(sofar.done() + sofar.refused() + " of " + selected.size() + " …"));
        selected.byConsumer().forEach(batchedExecution::doTo);
        selected.unknown().forEach(batchedExecution.outcome()::add);
        return tell(selected, batchedExecution.outcome());
    }

    private String question(SelectedMessages selected) {
        String of = selected.byConsumer().size() == 1
                ? selected.byConsumer().keySet().iterator().next()
                : selected.byConsumer().size() + " consumers";
        String beyond = selected.matching().number() == selected.size() ? "" : " (" + selected.matching() + " match)";
        return command.asked() + " " + messages(selected.size()) + " of " + of + beyond + "?";
    }

    private int tell(SelectedMessages selected, CommandSummary summary) {
        invocation.printer().thing(summary.fields());
        int others = selected.matching().number() - selected.size();
        String left = others == 0
                ? ""
                : "; " + (selected.matching().exact() ? "" : "at least ") + others + " more match, beyond --limit";
        invocation.say(
                selected.size() == 0 && summary.refused() == 0
                        ? "Nothing matches."
                        : summary.done() + " of " + messages(summary.done() + summary.refused()) + " " + command.done()
                                + left + ".");
        if (summary.isOrderUnknown()) {
            invocation.say("What keeps order takes commands from who knows its policy: give the file with --policies.");
        }
        return summary.refused() == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    static String messages(int number) {
        return number == 1 ? "1 message" : number + " messages";
    }
}
