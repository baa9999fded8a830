// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.InboxAdmin;
import io.idembox.admin.KnownMessage;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.call.Session;
import io.idembox.cli.output.Fields;
import java.util.List;
import java.util.function.Function;

/** Does something to the messages that are meant: looks, asks, does it in pieces, and tells what became of each. */
public final class Order {

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
        return new Order(invocation, verb, options).run(scope, selection);
    }

    /**
     * The same for one message, whoever that is when it is looked for.
     *
     * @param dryRun whether it is only shown
     */
    public static int give(Invocation invocation, Verb verb, Function<InboxAdmin, KnownMessage> whom, boolean dryRun) {
        if (!dryRun) {
            invocation.decision();
        }
        Order order = new Order(invocation, verb, OrderOptions.one(dryRun));
        try (Session session = invocation.open()) {
            InboxAdmin admin = session.admin();
            Picked picked = new Picked(admin, verb, 1);
            picked.add(whom.apply(admin));
            return dryRun ? order.preview(picked) : order.doTo(picked, admin);
        }
    }

    private int run(Scope scope, Selection selection) {
        if (selection.isEverything() && !scope.narrowed()) {
            throw CommandException.usage(
                    "Say which messages to " + verb + ": a consumer, ids, or any other part of a filter. See --help.");
        }
        if (!selection.ids().isEmpty() && selection.consumer().isEmpty()) {
            throw CommandException.usage("Say whose message it is: the same id is another message for every consumer.");
        }
        if (options.limit < 1 || options.limit > OrderOptions.MOST) {
            throw CommandException.usage("--limit is 1 to " + OrderOptions.MOST + "; was " + options.limit);
        }
        // Before anything is looked for: whoever forgot the reason is told at once.
        if (!options.dryRun) {
            invocation.decision();
        }
        try (Session session = invocation.open()) {
            InboxAdmin admin = session.admin();
            Picked picked = new Picked(admin, verb, options.limit);
            List<String> all = admin.consumers();
            scope.among(all, selection).forEach(consumer -> picked.pick(consumer, selection));
            if (picked.size() == 0) {
                selection.unseen(all).ifPresent(invocation::say);
            }
            return options.dryRun ? preview(picked) : doTo(picked, admin);
        }
    }

    private int preview(Picked picked) {
        invocation
                .printer()
                .thing(Fields.of("command", verb.toString())
                        .and("dryRun", true)
                        .and("selected", picked.size())
                        .and("matching", picked.matching())
                        .and(
                                "unknown",
                                picked.unknown().stream()
                                        .map(each -> each.id().toString())
                                        .toList())
                        .and(
                                "messages",
                                picked.all().stream().map(MessageFields::brief).toList()));
        return ExitCode.DONE;
    }

    private int doTo(Picked picked, InboxAdmin admin) {
        if (picked.size() > 0 && !invocation.confirm(question(picked))) {
            invocation.say("Nothing was done.");
            return ExitCode.REFUSED;
        }
        Execution execution = new Execution(
                admin,
                verb,
                invocation::decision,
                sofar -> invocation.progress(sofar.done() + sofar.refused() + " of " + picked.size() + " …"));
        picked.byConsumer()
                .forEach((consumer, messages) -> execution.doTo(
                        consumer, messages.stream().map(KnownMessage::selected).toList()));
        picked.unknown().forEach(execution.outcome()::add);
        return tell(picked, execution.outcome());
    }

    private String question(Picked picked) {
        String of = picked.byConsumer().size() == 1
                ? picked.byConsumer().keySet().iterator().next()
                : picked.byConsumer().size() + " consumers";
        String beyond = picked.matching().number() == picked.size() ? "" : " (" + picked.matching() + " match)";
        return capitalized(verb.toString()) + " " + messages(picked.size()) + " of " + of + beyond + "?";
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

    private static String capitalized(String word) {
        return word.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + word.substring(1);
    }
}
