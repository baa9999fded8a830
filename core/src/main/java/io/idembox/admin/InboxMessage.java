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
 * What the inbox knows of a message. Its payload is not shown.
 *
 * @param ref who it is, as it was seen: what commands take
 * @param failure the last error; null when there was none
 * @param group the failures that it belongs to, see {@link FailureGroup}; null when nothing went wrong
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
     * Where it stands.
     *
     * @param reason why it stands there, where the status alone does not tell: {@code CRASH}, {@code CONFLICT}, {@code OPERATOR} …
     * @param owner who brings it again; null when it is completed
     * @param dueAt when the inbox tries again; null when it does not, or when it is due since it arrived
     * @param holder who works on it; null when nobody does
     */
    public record Progress(
            Status status,
            @Nullable String reason,
            @Nullable RetryBy owner,
            @Nullable Instant dueAt,
            @Nullable Holder holder) {}

    /** A node that works on it, and until when it may without a sign of life. */
    public record Holder(String node, Instant until) {}

    /**
     * What was tried.
     *
     * @param attempts all there were, before and after redrives
     * @param failures how often the handler said no, since the last redrive
     * @param crashes how often whoever had it went away
     * @param releases how often it was given back unhandled
     */
    public record Counters(int attempts, int failures, int crashes, int releases) {}

    /**
     * When what happened.
     *
     * @param changedAt when something last went wrong with it or somebody changed it; null when nothing did
     * @param settledAt when it was completed; null when it is not
     */
    public record Times(
            Instant receivedAt,
            @Nullable Instant changedAt,
            @Nullable Instant settledAt) {}

    /**
     * What it is.
     *
     * @param type null where the body is not kept
     * @param key null where it has none, or the body is not kept
     * @param payloadBytes null where the body is not kept, or is a tombstone
     * @param contentType of the payload as it came; null where the body is not kept, or is a tombstone
     * @param kept whether the body is kept, so that the inbox can handle it by itself
     * @param original of a payload that conflicts with the first one under its id: the arrival number of that one; else null
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
