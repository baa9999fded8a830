// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.InboxException;
import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.call.Session;
import io.idembox.cli.campaign.Start;
import io.idembox.cli.output.Fields;
import java.util.List;
import java.util.function.Function;

/**
 * Does something to the messages that are meant: looks, asks, does it, and tells what became of them. Few are done in pieces, each
 * told message by message; very many are a campaign.
 */
public final class Order {

    private static final String PREVIEW = "a preview; whoever starts it says why";

    private final Invocation invocation;
    private final Verb verb;
    private final OrderOptions options;

    private Order(Invocation invocation, Verb verb, OrderOptions options) {
        this.invocation = invocation;
        this.verb = verb;
        this.options = options;
    }

    public static int give(Invocation invocation, Verb verb, Scope scope, Criteria criteria, OrderOptions options) {
        Selection selection = Selection.of(criteria, scope.named(), invocation.now());
        Order order = new Order(invocation, verb, options);
        return options.preview == null
                ? order.run(scope, selection)
                : order.asPreviewed(options.preview, scope, selection);
    }

    /**
     * The same for one message, whoever that is when it is looked for.
     *
     * @param found how it is found, in words
     * @param dryRun whether it is only shown
     */
    public static int give(
            Invocation invocation, Verb verb, Function<InboxAdmin, InboxMessage> whom, String found, boolean dryRun) {
        if (!dryRun) {
            invocation.decision();
        }
        Order order = new Order(invocation, verb, OrderOptions.one(dryRun));
        try (Session session = invocation.open()) {
            InboxAdmin admin = session.admin();
            Picked picked = new Picked(admin, verb, 1, dryRun);
            picked.add(whom.apply(admin));
            String words = Selection.kept(found);
            return dryRun
                    ? order.preview(picked, List.of())
                    : order.doTo(
                            picked, admin, consumer -> invocation.decision().selectedBy(words));
        }
    }

    private int run(Scope scope, Selection selection) {
        check(scope, selection);
        // Before anything is looked for: whoever forgot the reason is told at once.
        if (!options.dryRun) {
            invocation.decision();
        }
        try (Session session = invocation.open()) {
            InboxAdmin admin = session.admin();
            Picked picked = new Picked(admin, verb, options.most(), options.dryRun);
            List<String> all = admin.consumers();
            List<String> whose = scope.among(all, selection);
            whose.forEach(consumer -> picked.pick(consumer, selection));
            if (picked.size() == 0) {
                selection.unseen(all).ifPresent(invocation::say);
            }
            if (options.dryRun) {
                return preview(picked, kept(session, picked, whose, selection));
            }
            return isMass(picked)
                    ? inCampaigns(session, whose, selection)
                    : doTo(picked, admin, consumer -> decision(consumer, selection));
        }
    }

    /** With how the messages were found; those that were named are in the trail themselves. */
    private Operation decision(String consumer, Selection selection) {
        Operation decision = invocation.decision();
        return selection.ids().isEmpty()
                ? decision.selectedBy(selection.words(
                        selection.filters(consumer, verb.byFilter()).get(0)))
                : decision;
    }

    private void check(Scope scope, Selection selection) {
        if (selection.isEverything() && !scope.narrowed()) {
            throw CommandException.usage(
                    "Say which messages to " + verb + ": a consumer, ids, or any other part of a filter. See --help.");
        }
        if (!selection.ids().isEmpty() && selection.consumer().isEmpty()) {
            throw CommandException.usage("Say whose message it is: the same id is another message for every consumer.");
        }
        if (options.limit != null && (options.limit < 1 || options.limit > OrderOptions.MOST)) {
            throw CommandException.usage("--limit is 1 to " + OrderOptions.MOST + "; was " + options.limit);
        }
        options.pace.pace();
        if (options.pace.isGiven() && (options.limit != null || !selection.ids().isEmpty())) {
            throw CommandException.usage("--canary, --rate and --stop-on-failures are for all messages that a filter"
                    + " finds; they do not go with " + (options.limit == null ? "--id" : "--limit") + ".");
        }
    }

    private boolean isMass(Picked picked) {
        boolean tooMany = options.limit == null && picked.matching().number() > InboxAdmin.LIMIT;
        return picked.size() > 0 && (options.pace.isGiven() || tooMany);
    }

    private int inCampaigns(Session session, List<String> whose, Selection selection) {
        Mass mass = new Mass(invocation, session, verb);
        return mass.run(mass.plan(whose, selection, options.pace.pace(), invocation::decision));
    }

    /** What is shown is kept, if it is all that matches. Whoever may look and not write sees it all the same. */
    private List<Campaign> kept(Session session, Picked picked, List<String> whose, Selection selection) {
        if (picked.size() == 0 || options.limit != null || !selection.ids().isEmpty()) {
            return List.of();
        }
        try {
            return new Mass(invocation, session, verb)
                    .plan(whose, selection, options.pace.pace(), () -> invocation.decisionOr(PREVIEW));
        } catch (InboxException | IllegalArgumentException unkept) {
            invocation.say("The preview is not kept: " + unkept.getMessage());
            return List.of();
        }
    }

    private int preview(Picked picked, List<Campaign> plans) {
        int planned = plans.stream().mapToInt(each -> each.progress().total()).sum();
        invocation
                .printer()
                .thing(Fields.of("command", verb.toString())
                        .and("dryRun", true)
                        .and("selected", plans.isEmpty() ? picked.size() : planned)
                        .and("matching", picked.matching())
                        .and(
                                "previews",
                                plans.stream()
                                        .map(each -> Fields.of("preview", each.id())
                                                .and("consumer", each.consumer())
                                                .and("messages", each.progress().total()))
                                        .toList())
                        .and(
                                "unknown",
                                picked.unknown().stream()
                                        .map(each -> each.id().toString())
                                        .toList())
                        .and(
                                "messages",
                                picked.all().stream().map(MessageFields::brief).toList()));
        if (planned > picked.all().size()) {
            invocation.say("Only the first " + picked.all().size() + " are shown.");
        }
        plans.forEach(each -> invocation.say("Preview " + each.id() + " keeps "
                + messages(each.progress().total()) + " of " + each.consumer()
                + " as they are now. Do exactly that: --preview " + each.id() + " --reason \"…\"."));
        return ExitCode.DONE;
    }

    /** What was planned says everything but why. */
    private int asPreviewed(String id, Scope scope, Selection selection) {
        boolean more = !selection.isEverything() || scope.narrowed() || options.limit != null;
        if (more || options.dryRun || options.pace.isGiven()) {
            throw CommandException.usage(
                    "--preview says which messages and how fast: nothing else of that goes with it.");
        }
        invocation.decision();
        try (Session session = invocation.open()) {
            Campaign planned = Start.planned(session, id);
            if (planned.command() != verb.command()) {
                throw CommandException.refused("In preview " + id + " messages are "
                        + planned.command().done() + ", not " + verb.done() + ".");
            }
            return new Mass(invocation, session, verb).run(List.of(planned));
        }
    }

    private int doTo(Picked picked, InboxAdmin admin, Function<String, Operation> decisions) {
        if (picked.size() > 0 && !invocation.confirm(question(picked))) {
            invocation.say("Nothing was done.");
            return ExitCode.REFUSED;
        }
        Execution execution = new Execution(
                admin,
                verb,
                decisions,
                sofar -> invocation.progress(sofar.done() + sofar.refused() + " of " + picked.size() + " …"));
        picked.byConsumer().forEach(execution::doTo);
        picked.unknown().forEach(execution.outcome()::add);
        return tell(picked, execution.outcome());
    }

    private String question(Picked picked) {
        String of = picked.byConsumer().size() == 1
                ? picked.byConsumer().keySet().iterator().next()
                : picked.byConsumer().size() + " consumers";
        String beyond = picked.matching().number() == picked.size() ? "" : " (" + picked.matching() + " match)";
        return verb.asked() + " " + messages(picked.size()) + " of " + of + beyond + "?";
    }

    private int tell(Picked picked, Outcome outcome) {
        invocation.printer().thing(outcome.fields());
        int others = picked.matching().number() - picked.size();
        String left = others == 0
                ? ""
                : "; " + (picked.matching().exact() ? "" : "at least ") + others + " more match, beyond --limit";
        invocation.say(
                picked.size() == 0 && outcome.refused() == 0
                        ? "Nothing matches."
                        : outcome.done() + " of " + messages(outcome.done() + outcome.refused()) + " " + verb.done()
                                + left + ".");
        if (outcome.isOrderUnknown()) {
            invocation.say("What keeps order takes commands from who knows its policy: give the file with --policies.");
        }
        return outcome.refused() == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    static String messages(int number) {
        return number == 1 ? "1 message" : number + " messages";
    }
}
