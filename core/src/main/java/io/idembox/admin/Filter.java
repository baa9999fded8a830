// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Selects messages of one consumer. All conditions must match. {@link FilterParser} parses the textual form.
 *
 * @param statuses default: all unfinished messages; discarded ones only when requested
 */
public record Filter(
        String consumer,
        Set<Status> statuses,
        ContentFilter contentFilter,
        FailureFilter failure,
        ReceivedBetween receivedBetween,
        AttemptRange attemptRange) {

    private static final Set<Status> UNFINISHED =
            Set.copyOf(EnumSet.complementOf(EnumSet.of(Status.DISCARDED, Status.COMPLETED)));

    /**
     * Conditions on the content of a message; null matches any.
     *
     * @param id the message and conflicting payloads under its id, in the given source, or in all sources when none is
     *     given
     * @param type the name of the event type, in any version; only messages whose body is stored have one
     */
    public record ContentFilter(
            @Nullable String source,
            @Nullable String id,
            @Nullable String key,
            @Nullable String type) {

        static final ContentFilter ANY = new ContentFilter(null, null, null, null);

        public ContentFilter {
            check("source", source);
            check("key", key);
            check("type", type);
        }
    }

    /**
     * Conditions on the failure of a message; null matches any.
     *
     * @param errorClass the class of the last error, or the rule that refused the message
     * @param errorTexts each must be contained in the class or the text of the last error, ignoring case
     * @param reason the reason for the status, such as {@code CRASH}
     * @param group a group returned by {@link InboxAdmin#failureGroups}
     */
    public record FailureFilter(
            @Nullable String errorClass,
            List<String> errorTexts,
            @Nullable String reason,
            @Nullable UUID group) {

        private static final int MAX_TEXTS = 20;
        private static final int MAX_TEXT_LENGTH = 2_000;

        static final FailureFilter ANY = new FailureFilter(null, List.of(), null, null);

        public FailureFilter {
            check("error class", errorClass);
            errorTexts = List.copyOf(errorTexts);
            errorTexts.forEach(FailureFilter::checkText);
            if (errorTexts.size() > MAX_TEXTS) {
                throw new IllegalArgumentException(
                        "A filter has at most " + MAX_TEXTS + " error texts; was " + errorTexts.size());
            }
            check("reason", reason);
        }

        private static void checkText(String text) {
            check("error text", text);
            if (text.isEmpty() || text.length() > MAX_TEXT_LENGTH) {
                throw new IllegalArgumentException(
                        "An error text of a filter has 1 to " + MAX_TEXT_LENGTH + " characters; was " + text.length());
            }
        }
    }

    /**
     * The range of times of receipt.
     *
     * @param after inclusive; null for no lower bound
     * @param before exclusive; null for no upper bound
     */
    public record ReceivedBetween(
            @Nullable Instant after, @Nullable Instant before) {

        private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
        private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

        static final ReceivedBetween ANY = new ReceivedBetween(null, null);

        public ReceivedBetween {
            check(after);
            check(before);
        }

        /** Rejects times that no column can hold. */
        private static void check(@Nullable Instant time) {
            if (time != null && (time.isBefore(FIRST) || !time.isBefore(END))) {
                throw new IllegalArgumentException("The time of a filter must be in the years 1 to 9999; was " + time);
            }
        }
    }

    /** The range of the number of attempts, including those before redrives; both bounds are inclusive. */
    public record AttemptRange(int least, int most) {

        static final AttemptRange ANY = new AttemptRange(0, Integer.MAX_VALUE);
    }

    public Filter {
        Objects.requireNonNull(consumer, "consumer");
        check("consumer", consumer);
        statuses = Set.copyOf(statuses);
        if (statuses.isEmpty() || statuses.contains(Status.COMPLETED)) {
            throw new IllegalArgumentException(
                    "A filter needs at least one status, and not COMPLETED. Find completed messages by id with"
                            + " find(consumer, id).");
        }
    }

    /** Rejects texts that no column can hold; the database would answer with an error. */
    private static void check(String what, @Nullable String text) {
        if (text != null && text.codePoints().anyMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE)) {
            throw new IllegalArgumentException("The " + what
                    + " of a filter has a character that cannot be stored (NUL or an unpaired surrogate); was '"
                    + text.replaceAll("\\p{Cntrl}|\\p{Cs}", "?") + "'");
        }
    }

    /** Selects all unfinished messages of a consumer, except discarded ones. */
    public static Filter of(String consumer) {
        return new Filter(
                consumer, UNFINISHED, ContentFilter.ANY, FailureFilter.ANY, ReceivedBetween.ANY, AttemptRange.ANY);
    }

    /** Selects only messages with one of these statuses. */
    public Filter status(Status first, Status... more) {
        return statuses(EnumSet.of(first, more));
    }

    /** Selects only messages with one of these statuses. */
    public Filter statuses(Set<Status> newStatuses) {
        return new Filter(consumer, newStatuses, contentFilter, failure, receivedBetween, attemptRange);
    }

    public Filter source(String newSource) {
        return with(new ContentFilter(newSource, contentFilter.id, contentFilter.key, contentFilter.type));
    }

    public Filter id(MessageId newId) {
        return with(new ContentFilter(newId.source(), newId.id(), contentFilter.key, contentFilter.type));
    }

    /** Selects an id in the given source, or in all sources when none is given. */
    public Filter id(String newId) {
        return with(new ContentFilter(contentFilter.source, newId, contentFilter.key, contentFilter.type));
    }

    public Filter key(String newKey) {
        return with(new ContentFilter(contentFilter.source, contentFilter.id, newKey, contentFilter.type));
    }

    public Filter type(String newType) {
        return with(new ContentFilter(contentFilter.source, contentFilter.id, contentFilter.key, newType));
    }

    public Filter errorClass(String newErrorClass) {
        return with(new FailureFilter(newErrorClass, failure.errorTexts, failure.reason, failure.group));
    }

    /** Adds an error text; all error texts must match. */
    public Filter errorContains(String text) {
        List<String> texts =
                Stream.concat(failure.errorTexts.stream(), Stream.of(text)).toList();
        return with(new FailureFilter(failure.errorClass, texts, failure.reason, failure.group));
    }

    public Filter reason(String newReason) {
        return with(new FailureFilter(failure.errorClass, failure.errorTexts, newReason, failure.group));
    }

    /** Selects only messages of a failure group. */
    public Filter group(UUID newGroup) {
        return with(new FailureFilter(failure.errorClass, failure.errorTexts, failure.reason, newGroup));
    }

    public Filter receivedAfter(Instant instant) {
        return with(new ReceivedBetween(instant, receivedBetween.before));
    }

    public Filter receivedBefore(Instant instant) {
        return with(new ReceivedBetween(receivedBetween.after, instant));
    }

    public Filter attemptsAtLeast(int number) {
        return with(new AttemptRange(number, attemptRange.most));
    }

    public Filter attemptsAtMost(int number) {
        return with(new AttemptRange(attemptRange.least, number));
    }

    private Filter with(ContentFilter newContent) {
        return new Filter(consumer, statuses, newContent, failure, receivedBetween, attemptRange);
    }

    private Filter with(FailureFilter newTrouble) {
        return new Filter(consumer, statuses, contentFilter, newTrouble, receivedBetween, attemptRange);
    }

    private Filter with(ReceivedBetween newReceived) {
        return new Filter(consumer, statuses, contentFilter, failure, newReceived, attemptRange);
    }

    private Filter with(AttemptRange newAttempts) {
        return new Filter(consumer, statuses, contentFilter, failure, receivedBetween, newAttempts);
    }
}
