// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.Outbox;
import io.idembox.cli.call.CommandException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The consumers a command group works on: application consumers, outbox destinations, or intents.
 *
 * @param named the internal name of the selected consumer; null when none is selected
 * @param members which consumers are included when none is selected
 * @param allowed which consumers may be selected
 * @param narrowed whether the scope is smaller than the whole group
 */
public record ConsumerScope(
        @Nullable String named, Predicate<String> members, Predicate<String> allowed, boolean narrowed) {

    private static final String OUTBOX = Outbox.consumer("");

    /** The consumers of the applications. An internal consumer (outbox, intent) may be selected by name. */
    public static ConsumerScope consumers(@Nullable String consumer) {
        return new ConsumerScope(consumer, name -> name.indexOf('/') < 0, name -> true, consumer != null);
    }

    public static ConsumerScope outbox(@Nullable String destination) {
        return new ConsumerScope(
                destination == null ? null : Outbox.consumer(destination),
                ConsumerScope::isOutbox,
                ConsumerScope::isOutbox,
                destination != null);
    }

    /**
     * The intents of handlers.
     *
     * @param intent {@code billing/charge}, {@code billing} for all intents of a consumer, or null for all intents
     */
    public static ConsumerScope intents(@Nullable String intent) {
        boolean whole = intent != null && intent.indexOf('/') >= 0;
        Predicate<String> members = name -> isIntent(name) && (intent == null || name.startsWith(intent + "/"));
        return new ConsumerScope(whole ? intent : null, members, ConsumerScope::isIntent, intent != null).checked();
    }

    /** All consumers, including outbox destinations and intents. */
    public static ConsumerScope all() {
        return new ConsumerScope(null, name -> true, name -> true, false);
    }

    private static boolean isOutbox(String name) {
        return name.startsWith(OUTBOX);
    }

    private static boolean isIntent(String name) {
        return name.indexOf('/') >= 0 && !isOutbox(name);
    }

    private ConsumerScope checked() {
        if (named != null) {
            check(named);
        }
        return this;
    }

    private void check(String name) {
        if (!allowed.test(name)) {
            throw CommandException.usage(name
                    + " cannot be used with this command; idembox messages and idembox parked accept any consumer.");
        }
    }

    /** The selected consumer, or else the members of this scope. */
    public List<String> among(List<String> all, Selection selection) {
        Optional<String> one = selection.consumer();
        one.ifPresent(this::check);
        return one.map(List::of).orElseGet(() -> members(all));
    }

    /** The consumers of this scope, sorted. */
    public List<String> members(List<String> all) {
        return all.stream().filter(members).sorted().toList();
    }
}
