// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which messages of a consumer. Everything that is given has to match.
 *
 * @param statuses unless said otherwise, everything that is unfinished; discarded ones only when asked for
 * @param key the message's key; null for any
 * @param errorClass the class of its last error, or the rule that refused it; null for any
 * @param receivedAfter at that time or later; null for any
 * @param receivedBefore earlier than that; null for any
 * @param id the message and conflicting payloads under its id; null for any
 */
public record Filter(
        String consumer,
        Set<Status> statuses,
        @Nullable String key,
        @Nullable String errorClass,
        @Nullable Instant receivedAfter,
        @Nullable Instant receivedBefore,
        @Nullable MessageId id) {

    private static final Set<Status> UNFINISHED =
            Set.copyOf(EnumSet.complementOf(EnumSet.of(Status.DISCARDED, Status.COMPLETED)));

    public Filter {
        Objects.requireNonNull(consumer, "consumer");
        check("consumer", consumer);
        check("key", key);
        check("error class", errorClass);
        check("source", id == null ? null : id.source());
        statuses = Set.copyOf(statuses);
        if (statuses.isEmpty() || statuses.contains(Status.COMPLETED)) {
            throw new IllegalArgumentException(
                    "A filter needs a status, and it cannot be COMPLETED: a completed message"
                            + " is found by its id, with find(consumer, id).");
        }
    }

    /** What no column can hold is nowhere to be found; a database would answer with an error. */
    private static void check(String what, @Nullable String text) {
        if (text != null && text.codePoints().anyMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE)) {
            throw new IllegalArgumentException("The " + what
                    + " of a filter has a character that is never kept: NUL, or half of a surrogate pair; was '"
                    + text.replaceAll("\\p{Cntrl}|\\p{Cs}", "?") + "'");
        }
    }

    /** Everything of a consumer that is unfinished. */
    public static Filter of(String consumer) {
        return new Filter(consumer, UNFINISHED, null, null, null, null, null);
    }

    /** Only those that stand there. */
    public Filter status(Status first, Status... more) {
        return new Filter(consumer, EnumSet.of(first, more), key, errorClass, receivedAfter, receivedBefore, id);
    }

    public Filter key(String newKey) {
        return new Filter(consumer, statuses, newKey, errorClass, receivedAfter, receivedBefore, id);
    }

    public Filter errorClass(String newErrorClass) {
        return new Filter(consumer, statuses, key, newErrorClass, receivedAfter, receivedBefore, id);
    }

    public Filter receivedAfter(Instant instant) {
        return new Filter(consumer, statuses, key, errorClass, instant, receivedBefore, id);
    }

    public Filter receivedBefore(Instant instant) {
        return new Filter(consumer, statuses, key, errorClass, receivedAfter, instant, id);
    }

    public Filter id(MessageId newId) {
        return new Filter(consumer, statuses, key, errorClass, receivedAfter, receivedBefore, newId);
    }
}
