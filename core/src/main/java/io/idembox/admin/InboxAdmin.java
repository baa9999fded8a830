// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import io.idembox.Payload;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Operator API: inspect messages, explain their state, and redrive, park, discard, restore or edit them.
 *
 * <pre>{@code
 * InboxAdmin admin = inbox.admin();
 * Preview failed = admin.preview(Filter.of("billing").status(Status.FAILED_TERMINAL), 100);
 * Report report = admin.redrive(failed.refs(), Operation.of("anna", "the bank is back"));
 * }</pre>
 *
 * <p>A command changes the messages that its preview showed. A message that has changed since, or is in progress, is
 * left unchanged, and the report gives the reason. Each command is one transaction, which also records the operator and
 * the reason. A repeated operation id returns the first result and changes nothing, so a call whose answer was lost can
 * be repeated.
 *
 * <p>Redriven messages are handled by any node that has handlers registered for the consumer; this node needs none.
 * Only {@link #payload} returns a payload. Thread-safe; every call is a transaction of its own.
 */
public interface InboxAdmin {

    /** The maximum number of messages of one command or one page. */
    int LIMIT = 1_000;

    /** Returns the names of all consumers that this database knows. */
    List<String> consumers();

    /** Returns a message, finished or not; empty when it was never received or has been purged. */
    Optional<InboxMessage> find(String consumer, MessageId id);

    /**
     * Returns a page of unfinished or discarded messages, in the order of arrival. Find completed messages by id.
     *
     * <p>A page by status or id costs its own length. A key is looked up among the messages of that key and among all
     * messages of consumers without ordering. All other conditions are compared message by message, so such a page
     * costs as many rows as have to be scanned until it is full. On PostgreSQL the query is cancelled after five
     * seconds.
     *
     * @throws io.idembox.StoreUnavailableException when the database does not answer in time; the message says which
     *     condition to narrow
     */
    MessagePage list(Filter filter, Page page);

    /**
     * Counts the messages that {@link #list} would return: exact up to the cap, "at least" beyond it. Costs as much as
     * such a page.
     */
    Count count(Filter filter, int cap);

    /**
     * Groups FAILED_TERMINAL, PARKED and FAILED_RETRYABLE messages that match by failure, the largest group first.
     * Scans all of them; on PostgreSQL the query is cancelled after five seconds.
     *
     * @param atMost the maximum number of groups, at most {@link #LIMIT}
     * @throws io.idembox.StoreUnavailableException when the database does not answer in time; the message says which
     *     condition to narrow
     */
    List<FailureGroup> failureGroups(Filter filter, int atMost);

    /**
     * Returns the backlog of a consumer: messages that wait in the inbox, counted as {@link #count} does with a cap of
     * 10,000, and messages that its brokers have not delivered yet. Only the node that has the consumer's source open
     * can ask the brokers, with a bounded wait; a broker that does not answer is reported as such. An unknown consumer
     * has no backlog.
     *
     * @throws io.idembox.StoreUnavailableException when the database does not answer
     */
    Lag lag(String consumer);

    /** Returns the failed attempts of a message, oldest first, at most the last hundred. */
    List<Attempt> attempts(InboxMessage message);

    /** Returns the operator commands on a message, oldest first, at most the last twenty. */
    List<OperationRecord> operations(InboxMessage message);

    /**
     * Explains a message in plain sentences: what happened, which rule decided, what it waits for, what happens next
     * and what to do. Conflicting payloads under the same id are explained too, at most the last ten.
     */
    Explanation explain(String consumer, MessageId id);

    /**
     * Returns the messages that a command would get: the first ones that match, each with its version, and how many
     * match in total.
     */
    Preview preview(Filter filter, int limit);

    /**
     * Tries FAILED_TERMINAL or PARKED messages again, and FAILED_RETRYABLE ones without waiting for their due time.
     * From now on the inbox retries them, with all attempts of the retry policy available again; a message that was in
     * progress when processes crashed still runs alone. In an ordered consumer a message keeps its position in its key,
     * and waits for earlier ones. A conflicting payload runs as a message of its own.
     *
     * @throws IllegalArgumentException when {@code ref} is empty, has more than {@link #LIMIT} messages or messages of
     *     several consumers, or when the operation id was used for something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same
     *     operation
     */
    Report redrive(List<MessageRef> ref, Operation operation);

    /**
     * Parks messages that wait or failed. In an ordered consumer the policy decides whether they hold their key or are
     * passed. Throws the same exceptions as {@link #redrive}.
     */
    Report park(List<MessageRef> ref, Operation operation);

    /**
     * Discards messages; {@link #restore} undoes it. Their ledger rows stay, so another delivery is answered DUPLICATE.
     * The next message of the key becomes due. Throws the same exceptions as {@link #redrive}.
     */
    Report discard(List<MessageRef> ref, Operation operation);

    /**
     * Restores discarded messages: they become PARKED, can be redriven, and hold their key like any parked message.
     * Throws the same exceptions as {@link #redrive}.
     */
    Report restore(List<MessageRef> ref, Operation operation);

    /**
     * Replaces the payload of a failed or parked message for its next attempt; redrive it afterwards. Identity, key,
     * headers and cause do not change. The received bytes are kept, the new payload is stored as a further revision,
     * and duplicates are compared with the received bytes. A message that its broker will redeliver is refused
     * ({@link CommandResult#REDELIVERED}), because its next attempt runs the payload of the broker. Throws the same
     * exceptions as {@link #redrive}.
     *
     * @throws IllegalArgumentException when the payload exceeds the limits of the consumer
     */
    Report edit(MessageRef ref, Payload payload, Operation operation);

    /** Returns the API for commands over many messages, with a canary and a rate. */
    Campaigns campaigns();

    /** Returns the API to handle completed messages again, to rebuild the data that their handlers wrote. */
    Replays replays();

    /**
     * Imports messages that another system gave up on, such as those of a dead-letter topic. Each is PARKED
     * (DEAD_LETTER) under the identity that the consumer's policy finds in it, and can be redriven or discarded. A
     * message that the inbox already has, finished or not, is left unchanged, so importing the same dead letters again
     * changes nothing.
     *
     * <p>In an ordered consumer an imported dead letter is outside the order of its key: it holds no other message, and
     * a redrive runs it immediately.
     *
     * <p>One that has no ledger row and was sent longer ago than {@code retention.ledger} is refused as TOO_OLD.
     *
     * @throws IllegalArgumentException when there are more than {@link #LIMIT}, or when this inbox does not have the
     *     policy of the consumer, which defines the identity of a message
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again
     */
    default ImportReport importDeadLetters(String consumer, List<DeadLetter> letters) {
        return importDeadLetters(consumer, letters, OldDeadLetters.REFUSE);
    }

    /** Imports dead letters, with the choice to park messages that are older than {@code retention.ledger}. */
    ImportReport importDeadLetters(String consumer, List<DeadLetter> letters, OldDeadLetters old);

    /**
     * Pauses a consumer on all nodes: no further entries are claimed, and deliveries in direct mode are answered BUSY.
     * Messages in progress finish normally. Deliveries are still stored.
     *
     * @return whether this operation paused it, now or when it was first called; false when it was already paused
     * @throws IllegalArgumentException when the consumer is unknown, or when the operation id was used for something
     *     else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same
     *     operation
     */
    boolean pause(String consumer, Operation operation);

    /** Resumes a consumer; returns whether this operation did it. Throws the same exceptions as {@link #pause}. */
    boolean resume(String consumer, Operation operation);

    /**
     * Sets the note of a failure group, replacing the previous one; {@link #failureGroups} returns it. The operation
     * records the group and the text as its filter.
     *
     * @param text 1 to 1,000 printable characters
     * @throws IllegalArgumentException when the consumer is unknown, or when the operation id was used for something
     *     else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same
     *     operation
     */
    void note(String consumer, UUID group, String text, Operation operation);

    /**
     * Returns the newest revision of the payload of a message, finished or not. The operator and the reason are
     * recorded as an operation before the payload is returned.
     *
     * @return empty when the message was never received, or its body is not stored
     * @throws IllegalArgumentException when the operation id was used for something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same
     *     operation
     */
    Optional<StoredPayload> payload(String consumer, MessageId id, Operation operation);

    /** Returns one revision; 0 is the received payload. See {@link #payload(String, MessageId, Operation)}. */
    Optional<StoredPayload> payload(String consumer, MessageId id, int revision, Operation operation);

    /** Returns the operator who paused a consumer, and the reason; empty when it is not paused or unknown. */
    Optional<String> paused(String consumer);
}
