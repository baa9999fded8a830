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

/** An event of an inbox, for metrics, logs and tests. */
public sealed interface InboxEvent {

    String consumer();

    /**
     * A delivery was answered, or a stored message was processed. Published after the commit.
     *
     * @param id the message; null when it has no usable identity
     */
    record Received(String consumer, @Nullable MessageId id, Receipt receipt) implements InboxEvent {}

    /** An attempt failed, and the failure was recorded. */
    record AttemptFailed(String consumer, MessageId id, int attempt, Failure failure) implements InboxEvent {}

    /**
     * A known id arrived with a different payload, which was parked. Later deliveries of the same payload are not
     * reported.
     */
    record Conflict(String consumer, MessageId id) implements InboxEvent {}

    /** A batch is run again after a deadlock or a serialization failure; no attempt is counted. */
    record BatchRetried(String consumer, int messages, String sqlState) implements InboxEvent {}

    /**
     * The connection broke during a commit, so its outcome is unknown. Nothing was acknowledged; redelivery resolves
     * it.
     */
    record CommitUnknown(String consumer, int messages) implements InboxEvent {}

    /**
     * Work was rolled back because its lease had expired or its partition had been taken over. No attempt is counted.
     */
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
     * The broker assigned partitions to another process, or this process stopped reading them.
     *
     * @param inFlight the number of their messages that were being handled or queued
     * @param drained whether all messages being handled finished in time
     */
    record PartitionsRevoked(String consumer, int partitions, int inFlight, boolean drained) implements InboxEvent {}

    /** A partition is no longer read until an operator decides; {@code why} describes the decision. */
    record PartitionStopped(String consumer, String partition, String why) implements InboxEvent {}

    /** Missing messages of a key did not arrive within the gap timeout; {@code done} is the action taken. */
    record GapTimedOut(String consumer, Gap gap, SequencePolicy.OnGap done) implements InboxEvent {}

    /** A consumer is paused on this node; the cause is BY_HAND, FAILURE_RATE or STORE_DOWN. */
    record Paused(String consumer, String cause, String why) implements InboxEvent {}

    /** A pause cause has ended; when it was the last one, messages are handled again. */
    record Resumed(String consumer, String cause) implements InboxEvent {}

    /** The message is committed, but the acknowledgement failed. The broker delivers it again and gets DUPLICATE. */
    record AcknowledgeFailed(String consumer, @Nullable MessageId id, RuntimeException cause) implements InboxEvent {}

    /**
     * The consumer is stopped on this node until the inbox is started again.
     *
     * @param messages the number of parked messages, when a handler ended the transaction of their batch; 0 when a
     *     statement of the inbox itself fails
     */
    record ConsumerStopped(String consumer, int messages) implements InboxEvent {}

    /** Outgoing messages and intents of handlers were suppressed during a replay. */
    record EffectsSuppressed(String consumer, int effects) implements InboxEvent {}

    /**
     * An alert threshold of the consumer's policy was exceeded. Published once, and again after the consumer has
     * recovered in between or after an hour.
     *
     * @param owner the owner to contact; null when the policy has none
     * @param description what happened, since when, how many messages, the owner and what to do
     */
    record Alert(String consumer, Kind kind, @Nullable String owner, String description) implements InboxEvent {

        /** The exceeded threshold, named after its policy key. */
        public enum Kind {
            PARKED,
            PENDING_AGE,
            SEQUENCE_GAP,
            DUPLICATE_SHARE
        }
    }

    /**
     * An operator's command was committed.
     *
     * @param done the number of messages that were changed
     * @param refused the number of messages that were not changed
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
     * A handler executed a write on a connection other than the inbox's, so it commits separately from the ledger row.
     * Published by {@link io.idembox.SameTransaction}, once per consumer, statement and code location.
     *
     * @param id the message being handled; for a batch handler, the first message of the call
     * @param what the first words of the SQL statement, without values
     * @param where the line of application code that executed it
     */
    record WriteOutsideTransaction(String consumer, MessageId id, String what, String where) implements InboxEvent {}

    /**
     * A node of the consumer started with an ordering (including whether there is a sequence) that differs from the
     * previously started node. Messages of a key may overtake each other until all nodes have the same ordering and all
     * older messages are finished.
     */
    record OrderingChanged(String consumer, String before, String now) implements InboxEvent {}

    /** A message without an id is identified by its position. */
    record WeakIdentity(String consumer, MessageId id) implements InboxEvent {}

    /**
     * The ids of a consumer look like values that do not identify messages.
     *
     * @param messages the number of recent messages that were checked
     */
    record SuspiciousIds(String consumer, Suspicion suspicion, int messages) implements InboxEvent {

        /** The kind of value that the ids look like. */
        public enum Suspicion {
            OFFSET("offsets: they change when the topic is re-created, mirrored or replayed"),
            TIMESTAMP("timestamps: two events may share one"),
            COUNTER("counters or small business numbers: they repeat"),
            REGENERATED("new ids on known payloads: the producer creates a new id for every retry"),
            NON_UNIQUE("a field shared by several messages: the same id arrives with different payloads");

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
