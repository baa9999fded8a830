// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The inbox's answer to a delivery: its result, and whether to acknowledge it. Immutable.
 *
 * <p>{@link #acknowledges()} is the only part that a broker adapter must obey; the rest is for operators and metrics.
 */
public final class Receipt {

    /** The result of the delivery. */
    public enum Kind {
        /** The handler ran and its effect is committed. */
        COMPLETED,
        /** Its effect happened before, or an operator discarded it; the handler did not run. */
        DUPLICATE,
        /** Its sequence number was already passed; the handler did not run. */
        SKIPPED,
        /** The message is durable, and the inbox will handle it. */
        STORED,
        /** Another transaction is handling it, or its outcome is not known yet: deliver it again later. */
        BUSY,
        /** The attempt failed; the error is recorded. */
        FAILED,
        /** Not accepted: conflicting payload, no id, or over a limit. */
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

    /** Settled without running the handler. */
    public static Receipt skipped(String reason) {
        return new Receipt(Kind.SKIPPED, true, null, null, reason, null);
    }

    public static Receipt stored() {
        return new Receipt(Kind.STORED, true, null, null, null, null);
    }

    /** The attempt failed; the message is stored and the inbox retries it. */
    public static Receipt storedAfter(Failure failure) {
        return new Receipt(Kind.STORED, true, null, failure, failure.message(), null);
    }

    /** Not handled now; the broker should deliver it again after 100 ms. */
    public static Receipt busy(String reason) {
        return busy(reason, SHORT_PAUSE);
    }

    /** Not handled now; the broker should deliver it again after the given time, not earlier. */
    public static Receipt busy(String reason, Duration retryAfter) {
        return new Receipt(Kind.BUSY, false, null, null, reason, retryAfter);
    }

    /** Failed permanently; the message is stored, so the delivery is acknowledged. */
    public static Receipt failed(Failure failure) {
        return new Receipt(Kind.FAILED, true, null, failure, failure.message(), null);
    }

    /** Failed; the broker's redelivery retries it, not before the given time has passed. */
    public static Receipt failedUntilRedelivery(Failure failure, Duration retryAfter) {
        return new Receipt(Kind.FAILED, false, null, failure, failure.message(), retryAfter);
    }

    /** Not accepted; if not acknowledged, the broker should deliver it again after one second. */
    public static Receipt refused(String reason, boolean acknowledges) {
        return new Receipt(Kind.REFUSED, acknowledges, null, null, reason, acknowledges ? null : REFUSED_PAUSE);
    }

    public Kind kind() {
        return kind;
    }

    /** True to acknowledge the delivery, false to let the broker deliver it again. */
    public boolean acknowledges() {
        return acknowledges;
    }

    /** The result of the handler, from this or the first delivery, while it is stored. */
    public Optional<Payload> result() {
        return Optional.ofNullable(result);
    }

    public Optional<Failure> failure() {
        return Optional.ofNullable(failure);
    }

    /** The reason for SKIPPED, BUSY, FAILED and REFUSED, and for STORED after a failure. */
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
