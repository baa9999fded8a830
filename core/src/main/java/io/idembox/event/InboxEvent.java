// SPDX-License-Identifier: Apache-2.0
package io.idembox.event;

import io.idembox.Failure;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.policy.Gap;
import io.idembox.policy.SequencePolicy;
import org.jspecify.annotations.Nullable;

/** What the inbox did. Feeds metrics, logs and tests. */
public sealed interface InboxEvent {

    String consumer();

    /**
     * A delivery got its answer, or a stored message was worked on: after the commit.
     *
     * @param id who it was; null when the message has no usable identity
     */
    record Received(String consumer, @Nullable MessageId id, Receipt receipt) implements InboxEvent {}

    /** An attempt did not end well and was recorded as such. */
    record AttemptFailed(String consumer, MessageId id, int attempt, Failure failure) implements InboxEvent {}

    /** A known id arrived with another payload, which was parked now. Later deliveries of that payload are not reported. */
    record Conflict(String consumer, MessageId id) implements InboxEvent {}

    /** A batch met a deadlock or a serialisation failure and is run again; nobody pays. */
    record BatchRetried(String consumer, int messages, String sqlState) implements InboxEvent {}

    /** The connection went away during a commit: nobody knows, nothing was acknowledged, redelivery finds out. */
    record CommitUnknown(String consumer, int messages) implements InboxEvent {}

    /** Work was done under a lease that was gone by then, or on a lane that was taken over: it was rolled back, nobody pays. */
    record OwnershipLost(String consumer, int messages) implements InboxEvent {}

    /**
     * A lease expired before its worker finished: the process died, stalled, or the handler is slower than the lease. One event
     * for each message that was under it.
     *
     * @param id the message; null when its body is not kept
     * @param expiries how many leases of this message have expired
     * @param parked whether it is parked now, instead of being tried again
     */
    record LeaseExpired(String consumer, @Nullable MessageId id, int expiries, boolean parked) implements InboxEvent {}

    /**
     * The broker gave lanes to another process, or this one stopped reading them.
     *
     * @param inFlight how many messages of them were being handled or about to be
     * @param drained whether all that were being handled ended in time
     */
    record PartitionsRevoked(String consumer, int partitions, int inFlight, boolean drained) implements InboxEvent {}

    /** Nothing of a lane is read any more until somebody decides; the words say what. */
    record PartitionStopped(String consumer, String partition, String why) implements InboxEvent {}

    /** Messages of a key did not come for as long as the policy allows; what was done about it. */
    record GapTimedOut(String consumer, Gap gap, SequencePolicy.OnGap done) implements InboxEvent {}

    /** A consumer's messages are not handled on this node for now; the cause is BY_HAND, FAILURE_RATE or STORE_DOWN. */
    record Paused(String consumer, String cause, String why) implements InboxEvent {}

    /** A cause to pause is gone; when it was the last one, messages are handled again. */
    record Resumed(String consumer, String cause) implements InboxEvent {}

    /** The commit stands, but the broker could not be told; it will deliver again and be answered DUPLICATE. */
    record AcknowledgeFailed(String consumer, @Nullable MessageId id, RuntimeException cause) implements InboxEvent {}

    /**
     * The consumer is stopped on this node until the inbox is started again.
     *
     * @param messages how many were in the batch whose transaction a handler ended, which are parked; 0 when a statement of
     *     the inbox itself cannot work
     */
    record ConsumerStopped(String consumer, int messages) implements InboxEvent {}

    /** Messages and intents of handlers were left out, because what they handled is replayed; how many. */
    record EffectsSuppressed(String consumer, int effects) implements InboxEvent {}

    /**
     * A consumer is in trouble, as its policy says it: told once, and again when it was well in between or an hour has passed.
     *
     * @param owner who is to be called; null when the policy names nobody
     * @param description what, since when, how much, whom to call and what to do
     */
    record Alert(String consumer, Kind kind, @Nullable String owner, String description) implements InboxEvent {

        /** What the trouble is, by the key of the policy. */
        public enum Kind {
            PARKED,
            PENDING_AGE,
            SEQUENCE_GAP,
            DUPLICATE_SHARE
        }
    }

    /**
     * Somebody gave a command, and it is committed.
     *
     * @param done how many messages were changed
     * @param refused how many were left alone
     */
    record OperationPerformed(String consumer, Command command, Operation operation, int done, int refused)
            implements InboxEvent {}

    /**
     * An operator requested a replay that the policy of the consumer does not allow. Nothing was replayed; the refusal is in the audit
     * trail.
     *
     * @param why the reason, and what to change
     */
    record ReplayRefused(String consumer, Operation operation, String why) implements InboxEvent {}

    /**
     * A handler executed a statement that writes on a connection that is not the inbox's, so that it commits apart from
     * the mark; told by {@link io.idembox.SameTransaction}, once per consumer, statement and place.
     *
     * @param id the message that was handled; the first one in the call of a batch handler
     * @param what the first words of the statement, without values
     * @param where the line of the application that executed it
     */
    record WriteOutsideTransaction(String consumer, MessageId id, String what, String where) implements InboxEvent {}

    /**
     * A node of the consumer started with another ordering than the node that started before it; whether there is a sequence counts, too.
     * Messages of a key may overtake each other until all nodes have the same ordering and no message from before is unfinished.
     */
    record OrderingChanged(String consumer, String before, String now) implements InboxEvent {}

    /** A message without an id got its position as identity. */
    record WeakIdentity(String consumer, MessageId id) implements InboxEvent {}

    /**
     * The ids of a consumer look like something that does not identify messages.
     *
     * @param messages how many recent messages were checked
     */
    record SuspiciousIds(String consumer, Suspicion suspicion, int messages) implements InboxEvent {

        /** What the ids look like. */
        public enum Suspicion {
            OFFSET("offsets: they change when the topic is re-created, mirrored or replayed"),
            TIMESTAMP("timestamps: two events may share one"),
            COUNTER("counters or small numbers of the domain: they come again"),
            REGENERATED("new ids on known payloads: the producer makes a new id for every try"),
            NON_UNIQUE("a field that several messages share: the same id comes with different payloads");

            private final String description;

            Suspicion(String words) {
                this.description = words;
            }

            public String description() {
                return description;
            }
        }
    }
}
