// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.EventType;
import io.idembox.Failure;
import io.idembox.MessageId;
import io.idembox.policy.RetryBy;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message in the inbox, without its payload.
 *
 * @param ref identity and version, accepted by commands
 * @param failure the last error; null when there was none
 * @param group the {@link FailureGroup} it belongs to; null when it has not failed
 */
public record InboxMessage(
        MessageRef ref,
        Progress progress,
        Counters counters,
        Times times,
        Content content,
        @Nullable Failure failure,
        @Nullable UUID group) {

    /**
     * The state of a message.
     *
     * @param reason why it has this status, where the status alone does not say: {@code CRASH}, {@code CONFLICT},
     *     {@code OPERATOR} …
     * @param owner whether the inbox or a redelivery tries it again; null when it is completed
     * @param dueAt when the inbox tries again; null when it does not, or when it has been due since it arrived
     * @param holder the node that works on it; null when it is not in progress
     */
    public record Progress(
            Status status,
            @Nullable String reason,
            @Nullable RetryBy owner,
            @Nullable Instant dueAt,
            @Nullable Holder holder) {}

    /** The node that holds the lease, and when the lease expires unless the node renews it. */
    public record Holder(String node, Instant until) {}

    /**
     * How often a message was tried.
     *
     * @param attempts all attempts, before and after redrives
     * @param failures failed attempts since the last redrive
     * @param crashes how often its lease expired or its process died
     * @param releases how often a worker released it without handling it
     */
    public record Counters(int attempts, int failures, int crashes, int releases) {}

    /**
     * The times of a message.
     *
     * @param changedAt when it last failed or an operator last changed it; null when neither happened
     * @param settledAt when it was completed; null when it is not
     */
    public record Times(
            Instant receivedAt,
            @Nullable Instant changedAt,
            @Nullable Instant settledAt) {}

    /**
     * The content of a message.
     *
     * @param type null when the body is not stored
     * @param key null when it has none, or the body is not stored
     * @param payloadBytes null when the body is not stored, or is a tombstone
     * @param contentType of the received payload; null when the body is not stored, or is a tombstone
     * @param kept whether the body is stored, so that the inbox can handle it without a redelivery
     * @param original for a payload that conflicts with the first one under its id: the arrival number of the first;
     *     else null
     */
    public record Content(
            @Nullable EventType type,
            @Nullable String key,
            @Nullable Integer payloadBytes,
            @Nullable String contentType,
            boolean kept,
            @Nullable Long original) {}

    public String consumer() {
        return ref.consumer();
    }

    public MessageId id() {
        return ref.id();
    }

    public long arrival() {
        return ref.arrival();
    }

    public Status status() {
        return progress.status();
    }
}
