// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.Outbox;
import io.idembox.cli.call.CommandException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whose messages a group of commands is about: those of consumers, of destinations of the outbox, or of intents.
 *
 * @param named the consumer that was named, by the name it has inside; null when none was
 * @param members who is looked at when none is named
 * @param allowed who may be named
 * @param narrowed whether it is less than everybody
 */
public record ConsumerScope(
        @Nullable String named, Predicate<String> members, Predicate<String> allowed, boolean narrowed) {

    private static final String OUTBOX = Outbox.consumer("");

    /** The consumers of the application. One inside may be named all the same. */
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
     * @param intent {@code billing/charge}, {@code billing} for all intents of a consumer, or null for all there are
     */
    public static ConsumerScope intents(@Nullable String intent) {
        boolean whole = intent != null && intent.indexOf('/') >= 0;
        Predicate<String> members = name -> isIntent(name) && (intent == null || name.startsWith(intent + "/"));
        return new ConsumerScope(whole ? intent : null, members, ConsumerScope::isIntent, intent != null).checked();
    }

    /** Everybody, outside and inside. */
    public static ConsumerScope everybody() {
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
            throw CommandException.usage(
                    name + " does not belong here; idembox messages and idembox parked take any consumer.");
        }
    }

    /** Which consumers are looked at. */
    public List<String> among(List<String> all, Selection selection) {
        Optional<String> one = selection.consumer();
        one.ifPresent(this::check);
        return one.map(List::of).orElseGet(() -> members(all));
    }

    /** Those of the group. */
    public List<String> members(List<String> all) {
        return all.stream().filter(members).sorted().toList();
    }
}
