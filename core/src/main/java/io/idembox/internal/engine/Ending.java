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
public record Ending(
        Found found,
        Kind kind,
        @Nullable Payload result,
        @Nullable Outcome outcome,
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

    static Ending completed(Found found, @Nullable Payload result, Instant startedAt) {
        return new Ending(found, Kind.COMPLETED, result, null, null, startedAt);
    }

    static Ending skipped(Found found) {
        return new Ending(found, Kind.SKIPPED, null, null, null, Instant.EPOCH);
    }

    static Ending stored(Found found) {
        return new Ending(found, Kind.STORED, null, null, null, Instant.EPOCH);
    }

    static Ending failed(Found found, Outcome outcome, Instant startedAt) {
        return new Ending(found, Kind.FAILED, null, outcome, null, startedAt);
    }

    /** Without a pause: the next delivery is answered differently. */
    static Ending held(Found found, String why) {
        return held(found, why, Duration.ZERO);
    }

    static Ending held(Found found, String why, Duration pause) {
        return new Ending(found, Kind.HELD, null, null, new Held(why, pause), Instant.EPOCH);
    }
}
