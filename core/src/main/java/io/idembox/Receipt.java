// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the inbox did with a delivery, and whether the broker may forget it. Immutable.
 *
 * <p>{@link #acknowledges()} is the only thing a broker adapter has to obey; the rest is for people and metrics.
 */
public final class Receipt {

    /** What became of the delivery. */
    public enum Kind {
        /** The handler ran and its effect is committed. */
        COMPLETED,
        /** Its effect happened before (or an operator discarded it); nothing ran. */
        DUPLICATE,
        /** Too old: its key is past its place in the sequence; nothing ran. */
        SKIPPED,
        /** The inbox owns it and will work on it. */
        STORED,
        /** Somebody else is at it, or nobody knows yet: deliver it again later. */
        BUSY,
        /** It did not work; the error is recorded. */
        FAILED,
        /** Not usable: conflicting payload, no id, over a limit. */
        REFUSED
    }

    /** The shortest pause of a BUSY delivery by default: without one a broker would redeliver it in a tight loop. */
    private static final Duration SHORT_PAUSE = Duration.ofMillis(100);

    /** The pause of a refused delivery: nothing changes before an operator or the producer acts. */
    private static final Duration REFUSED_PAUSE = Duration.ofSeconds(1);

    private final Kind kind;
    private final boolean acknowledges;
    private final @Nullable Payload result;
    private final @Nullable Failure failure;
    private final @Nullable String reason;
    private final @Nullable Duration retryAfter;

    private Receipt(
            Kind kind,
            boolean acknowledges,
            @Nullable Payload result,
            @Nullable Failure failure,
            @Nullable String reason,
            @Nullable Duration retryAfter) {
        this.kind = kind;
        this.acknowledges = acknowledges;
        this.result = result;
        this.failure = failure;
        this.reason = reason;
        this.retryAfter = retryAfter;
    }

    public static Receipt completed(@Nullable Payload result) {
        return new Receipt(Kind.COMPLETED, true, result, null, null, null);
    }

    public static Receipt duplicate(@Nullable Payload result) {
        return new Receipt(Kind.DUPLICATE, true, result, null, null, null);
    }

    /** Settled without being run. */
    public static Receipt skipped(String reason) {
        return new Receipt(Kind.SKIPPED, true, null, null, reason, null);
    }

    public static Receipt stored() {
        return new Receipt(Kind.STORED, true, null, null, null, null);
    }

    /** It was tried, failed, and is kept: the inbox tries again by itself. */
    public static Receipt storedAfter(Failure failure) {
        return new Receipt(Kind.STORED, true, null, failure, failure.message(), null);
    }

    /** Not handled now; the broker may deliver it again after a tenth of a second. */
    public static Receipt busy(String reason) {
        return busy(reason, SHORT_PAUSE);
    }

    /** Not handled now; the broker should deliver it again after the given time, not earlier. */
    public static Receipt busy(String reason, Duration retryAfter) {
        return new Receipt(Kind.BUSY, false, null, null, reason, retryAfter);
    }

    /** Failed for good: the message is kept, so the broker may forget it. */
    public static Receipt failed(Failure failure) {
        return new Receipt(Kind.FAILED, true, null, failure, failure.message(), null);
    }

    /** Failed, and it is the broker's redelivery that tries again, not before the given time has passed. */
    public static Receipt failedUntilRedelivery(Failure failure, Duration retryAfter) {
        return new Receipt(Kind.FAILED, false, null, failure, failure.message(), retryAfter);
    }

    /** Not usable; one that is not acknowledged may be delivered again after a second. */
    public static Receipt refused(String reason, boolean acknowledges) {
        return new Receipt(Kind.REFUSED, acknowledges, null, null, reason, acknowledges ? null : REFUSED_PAUSE);
    }

    public Kind kind() {
        return kind;
    }

    /** True when the broker may forget the delivery, false when it has to bring it again. */
    public boolean acknowledges() {
        return acknowledges;
    }

    /** What the handler returned, now or the first time, while it is kept. */
    public Optional<Payload> result() {
        return Optional.ofNullable(result);
    }

    public Optional<Failure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Why, for SKIPPED, BUSY, FAILED and REFUSED, and for STORED after a failure. */
    public Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    /** How long the broker should wait before it delivers the message again; empty when it is acknowledged. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    @Override
    public String toString() {
        return reason == null ? kind.name() : kind + " (" + reason + ")";
    }
}
