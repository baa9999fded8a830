// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import io.idembox.Payload;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The one door for people: what the inbox knows of a message, why it stands where it stands, and what may be done about it.
 *
 * <pre>{@code
 * InboxAdmin admin = inbox.admin();
 * Preview failed = admin.preview(Filter.of("billing").status(Status.FAILED_TERMINAL), 100);
 * Report report = admin.redrive(failed.selected(), Operation.of("anna", "the bank is back"));
 * }</pre>
 *
 * <p>A command does what its preview showed, or says for which message it did not and why: a message that changed since, or
 * that is being worked on, is left alone. It is one transaction, with a row that says who did it and why. The same operation
 * id again answers what was done the first time and changes nothing, so a call whose answer was lost is simply made again.
 *
 * <p>Redriven messages are handled by whichever node has handlers registered for the consumer; this one need not. Only
 * {@link #payload} shows a payload. Thread-safe; every call is a transaction of its own.
 */
public interface InboxAdmin {

    /** The most messages that one command takes, or one page shows. */
    int LIMIT = 1_000;

    /** The names of all consumers that were ever seen. */
    List<String> consumers();

    /** What is known of a message, finished or not; empty when it was never seen, or is forgotten. */
    Optional<InboxMessage> find(String consumer, MessageId id);

    /**
     * A page of what is unfinished or discarded, in the order of arrival. What is finished is found by its id.
     *
     * <p>By status and by id a page costs its own length. A key is looked for among the messages of that key and among all
     * those whose consumer keeps no order; whatever else a filter asks for is compared message by message. So such a page
     * costs as much as has to be passed until it is full. On PostgreSQL a look is given up after five seconds.
     *
     * @throws io.idembox.StoreUnavailableException when the database does not answer, or not in time: it says what to narrow
     */
    MessagePage list(Filter filter, Page page);

    /** How many messages {@link #list} would show: exact up to the cap, "at least" beyond it. Costs what such a page costs. */
    Count count(Filter filter, int cap);

    /**
     * What went wrong, the most frequent first: what is FAILED_TERMINAL, PARKED or FAILED_RETRYABLE and matches, by its failure.
     * Goes through all of them, so it costs as much; on PostgreSQL it is given up after five seconds.
     *
     * @param atMost how many groups, at most {@link #LIMIT}
     * @throws io.idembox.StoreUnavailableException when the database does not answer, or not in time: it says what to narrow
     */
    List<FailureGroup> failureGroups(Filter filter, int atMost);

    /**
     * How far a consumer is behind: what waits in the inbox, counted as {@link #count} does with a cap of 10,000, and what its
     * brokers have not brought yet. Brokers are asked by the node that has the consumer's source open, with a bounded wait; one
     * that does not answer is said as such. A consumer that nobody has seen has nothing.
     *
     * @throws io.idembox.StoreUnavailableException when the database does not answer
     */
    Lag lag(String consumer);

    /** The attempts at a message that did not end well, the oldest first; of very many, the last hundred. */
    List<Attempt> attempts(InboxMessage message);

    /** What people did to a message, the oldest first; of very many, the last twenty. */
    List<OperationRecord> operations(InboxMessage message);

    /**
     * What happened to a message, which rule decided, what it waits for, what happens next and what to do, in plain
     * sentences. Conflicting payloads that came under the same id are explained too; of very many, the last ten.
     */
    Explanation explain(String consumer, MessageId id);

    /** What a command would be given: the first messages that match, each with its version, and how many match in all. */
    Preview preview(Filter filter, int limit);

    /**
     * Tries messages again: FAILED_TERMINAL, PARKED, or FAILED_RETRYABLE without waiting any longer. They are the inbox's from
     * now on, with all attempts of the retry policy before them; one that was there when processes ended still runs alone. In
     * an ordered consumer it takes its place in its key, and waits if somebody is in front. A conflicting payload runs as a
     * message of its own.
     *
     * @throws IllegalArgumentException when nothing is selected, more than {@link #LIMIT}, messages of several consumers, or
     *     when the operation id was used for something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same operation
     */
    Report redrive(List<MessageRef> ref, Operation operation);

    /**
     * Sets messages aside that wait or failed. In an ordered consumer they hold their key, or are passed, as its policy says.
     * See {@link #redrive} for what is thrown.
     */
    Report park(List<MessageRef> ref, Operation operation);

    /**
     * Gives messages up for good. They stay as a mark: another delivery is answered DUPLICATE. The next one of the key may go.
     * See {@link #redrive} for what is thrown.
     */
    Report discard(List<MessageRef> ref, Operation operation);

    /**
     * Takes discarded messages back: they are PARKED then, may be redriven, and hold their key again as any parked one. See
     * {@link #redrive} for what is thrown.
     */
    Report restore(List<MessageRef> ref, Operation operation);

    /**
     * Gives a message that failed or is parked another payload, for the next attempt: redrive it then. Its identity, key, headers and
     * cause stay as they are, and so do the bytes that came: the new ones are a revision of their own, kept beside them. A duplicate is
     * compared with what came. One that its broker delivers again is refused ({@link CommandResult#REDELIVERED}): its next attempt runs the
     * payload that the broker delivers. See {@link #redrive} for what is thrown.
     *
     * @throws IllegalArgumentException when the payload is larger than the limits of the consumer allow
     */
    Report edit(MessageRef ref, Payload payload, Operation operation);

    /** Commands for very many messages, with a canary, at a rate. */
    Campaigns campaigns();

    /** Handling settled messages again, to build anew what their handlers wrote. */
    Replays replays();

    /**
     * Takes over messages that somebody else gave up, such as those of a dead-letter topic: each is PARKED (DEAD_LETTER) under
     * the identity that the consumer's policy finds in it, to be redriven or discarded like any other. One that the inbox
     * knows, finished or not, is left as it is. So the same ones again change nothing.
     *
     * <p>In an ordered consumer a dead letter stands beside the order of its key: it holds nobody, and a redrive runs it at
     * once.
     *
     * <p>One that has no ledger row and was sent longer ago than {@code retention.ledger} is refused as TOO_OLD.
     *
     * @throws IllegalArgumentException when there are more than {@link #LIMIT}, or when this inbox was not given the policy of
     *     the consumer, which says what identifies a message
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again
     */
    default ImportReport importDeadLetters(String consumer, List<DeadLetter> letters) {
        return importDeadLetters(consumer, letters, OldDeadLetters.REFUSE);
    }

    /** The same, with the choice to park messages that are older than {@code retention.ledger}. */
    ImportReport importDeadLetters(String consumer, List<DeadLetter> letters, OldDeadLetters old);

    /**
     * Stops a consumer on all nodes: nothing more is claimed, and deliveries in direct mode are answered BUSY. What is being
     * handled ends as it would have. Storing goes on.
     *
     * @return whether this operation did it, now or when it was first called; false when it was paused before
     * @throws IllegalArgumentException when no consumer of that name was ever seen, or when the operation id was used for
     *     something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same operation
     */
    boolean pause(String consumer, Operation operation);

    /** Lets a consumer go on; whether this operation did it. See {@link #pause} for what is thrown. */
    boolean resume(String consumer, Operation operation);

    /**
     * Writes down what is known about a group of failures, in the place of what was there; {@link #failureGroups} shows it. The operation
     * keeps which group it was and what was written, as its filter.
     *
     * @param text 1 to 1,000 printable characters
     * @throws IllegalArgumentException when no consumer of that name was ever seen, or when the operation id was used for
     *     something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same operation
     */
    void note(String consumer, UUID group, String text, Operation operation);

    /**
     * The payload of a message, finished or not, in its newest revision. Who read it and why is an operation like any other: it is
     * written down before the payload is handed out.
     *
     * @return empty when the message was never seen, or its body is not kept
     * @throws IllegalArgumentException when the operation id was used for something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same operation
     */
    Optional<StoredPayload> payload(String consumer, MessageId id, Operation operation);

    /** The same in one revision; 0 as it came. See {@link #payload(String, MessageId, Operation)}. */
    Optional<StoredPayload> payload(String consumer, MessageId id, int revision, Operation operation);

    /** Who paused a consumer and why; empty when nobody did, or when no such consumer was ever seen. */
    Optional<String> paused(String consumer);
}
