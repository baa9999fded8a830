// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Payload;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a message that was ours to run.
 *
 * @param kind which of the five
 * @param result what the handler returned, of a completed one
 * @param outcome how a failed one goes on
 * @param held for a held one: why it was not run, and when it may be delivered again
 * @param startedAt when its last attempt began, by this node's clock
 */
public record MessageResult(
        RecordedMessage recorded,
        Kind kind,
        @Nullable Payload result,
        @Nullable FailureOutcome outcome,
        @Nullable Held held,
        Instant startedAt) {

    /** Why a message was not run, and how long the broker should wait before it delivers it again. */
    public record Held(String why, Duration pause) {}

    /** How it ended. */
    public enum Kind {
        COMPLETED,
        /** Settled without being run, because its key is past its place. */
        SKIPPED,
        FAILED,
        /** Kept for the consumer's workers. */
        STORED,
        /** Not run, or run in vain through no fault of its own: as if it had never been delivered. */
        HELD
    }

    /** Whether it failed for good. */
    boolean isFinal() {
        return outcome != null && outcome.isFinal();
    }

    /** Whether the message could be read. */
    boolean isReadable() {
        return outcome == null || !outcome.isUnreadable();
    }

    static MessageResult completed(RecordedMessage recorded, @Nullable Payload result, Instant startedAt) {
        return new MessageResult(recorded, Kind.COMPLETED, result, null, null, startedAt);
    }

    static MessageResult skipped(RecordedMessage recorded) {
        return new MessageResult(recorded, Kind.SKIPPED, null, null, null, Instant.EPOCH);
    }

    static MessageResult stored(RecordedMessage recorded) {
        return new MessageResult(recorded, Kind.STORED, null, null, null, Instant.EPOCH);
    }

    static MessageResult failed(RecordedMessage recorded, FailureOutcome outcome, Instant startedAt) {
        return new MessageResult(recorded, Kind.FAILED, null, outcome, null, startedAt);
    }

    /** Without a pause: the next delivery is answered differently. */
    static MessageResult held(RecordedMessage recorded, String why) {
        return held(recorded, why, Duration.ZERO);
    }

    static MessageResult held(RecordedMessage recorded, String why, Duration pause) {
        return new MessageResult(recorded, Kind.HELD, null, null, new Held(why, pause), Instant.EPOCH);
    }
}
