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
 * Which messages of a consumer. Everything that is given has to match. {@link FilterParser} reads one that people write.
 *
 * @param statuses unless said otherwise, everything that is unfinished; discarded ones only when asked for
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
     * What it is; null for any.
     *
     * @param id the message and conflicting payloads under its id, of its source or, where none is given, of all of them
     * @param type the name of its event type, in any version; only messages whose body is kept have one
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
     * What went wrong with it; null for any.
     *
     * @param errorClass the class of its last error, or the rule that refused it
     * @param errorTexts each is contained in the class or the text of its last error, in whatever letter case
     * @param reason why it stands where it stands, such as {@code CRASH}
     * @param group the failures it belongs to, as {@link InboxAdmin#failureGroups} tells them
     */
    public record FailureFilter(
            @Nullable String errorClass,
            List<String> errorTexts,
            @Nullable String reason,
            @Nullable UUID group) {

        private static final int MOST_TEXTS = 20;
        private static final int LONGEST_TEXT = 2_000;

        static final FailureFilter ANY = new FailureFilter(null, List.of(), null, null);

        public FailureFilter {
            check("error class", errorClass);
            errorTexts = List.copyOf(errorTexts);
            errorTexts.forEach(FailureFilter::checkText);
            if (errorTexts.size() > MOST_TEXTS) {
                throw new IllegalArgumentException("A filter looks for at most " + MOST_TEXTS
                        + " texts in an error; there are " + errorTexts.size());
            }
            check("reason", reason);
        }

        private static void checkText(String text) {
            check("error text", text);
            if (text.isEmpty() || text.length() > LONGEST_TEXT) {
                throw new IllegalArgumentException("A text to look for in an error has 1 to " + LONGEST_TEXT
                        + " characters; there are " + text.length());
            }
        }
    }

    /**
     * When it came.
     *
     * @param after at that time or later; null for any
     * @param before earlier than that; null for any
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

        /** What no column can hold. */
        private static void check(@Nullable Instant time) {
            if (time != null && (time.isBefore(FIRST) || !time.isBefore(END))) {
                throw new IllegalArgumentException("The time of a filter lies in the years 1 to 9999; was " + time);
            }
        }
    }

    /** How often it was tried, before and after redrives: from the least to the most. */
    public record AttemptRange(int least, int most) {

        static final AttemptRange ANY = new AttemptRange(0, Integer.MAX_VALUE);
    }

    public Filter {
        Objects.requireNonNull(consumer, "consumer");
        check("consumer", consumer);
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
        return new Filter(
                consumer, UNFINISHED, ContentFilter.ANY, FailureFilter.ANY, ReceivedBetween.ANY, AttemptRange.ANY);
    }

    /** Only those that stand there. */
    public Filter status(Status first, Status... more) {
        return statuses(EnumSet.of(first, more));
    }

    /** Only those that stand at one of them. */
    public Filter statuses(Set<Status> newStatuses) {
        return new Filter(consumer, newStatuses, contentFilter, failure, receivedBetween, attemptRange);
    }

    public Filter source(String newSource) {
        return with(new ContentFilter(newSource, contentFilter.id, contentFilter.key, contentFilter.type));
    }

    public Filter id(MessageId newId) {
        return with(new ContentFilter(newId.source(), newId.id(), contentFilter.key, contentFilter.type));
    }

    /** The id of the source that is given, or of any. */
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

    /** Also that text, beside others that were asked for before. */
    public Filter errorContains(String text) {
        List<String> texts =
                Stream.concat(failure.errorTexts.stream(), Stream.of(text)).toList();
        return with(new FailureFilter(failure.errorClass, texts, failure.reason, failure.group));
    }

    public Filter reason(String newReason) {
        return with(new FailureFilter(failure.errorClass, failure.errorTexts, newReason, failure.group));
    }

    /** Only those that failed like the others of a group. */
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
