// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.HandlerException;
import io.idembox.PayloadException;
import io.idembox.policy.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What an exception means and how the message goes on. Pure but for the jitter, which is given. Thread-safe.
 *
 * <p>Unless the policy says otherwise: a payload that cannot be read is parked; wrong data, wrong SQL and broken class
 * paths fail for good; everything else may pass and is tried again.
 */
public final class FailureRules {

    private final RetryPolicy retry;
    private final ErrorText errors;
    private final DoubleSupplier jitter;

    public FailureRules(RetryPolicy retry, ErrorText errors, DoubleSupplier jitter) {
        this.retry = retry;
        this.errors = errors;
        this.jitter = jitter;
    }

    public Failure failureOf(Throwable thrown) {
        return errors.describe(kindOf(thrown), thrown);
    }

    /** How a message goes on after its attempt failed, having failed the given number of times before. */
    public FailureOutcome outcomeOf(Failure failure, int failuresBefore, @Nullable Duration askedPause) {
        int failures = failuresBefore + 1;
        return switch (failure.kind()) {
            case PARK -> FailureOutcome.parked("HANDLER", failure);
            case UNREADABLE -> FailureOutcome.parked("UNREADABLE", failure);
            case PERMANENT -> FailureOutcome.failed(failure);
            case TRANSIENT ->
                retry.allowsAttemptAfter(failures)
                        ? FailureOutcome.retryAfter(
                                askedPause == null ? retry.delayAfter(failures, jitter.getAsDouble()) : askedPause,
                                failure)
                        : FailureOutcome.failed(failure);
        };
    }

    public static @Nullable Duration askedPause(Throwable thrown) {
        return thrown instanceof HandlerException handlerException
                ? handlerException.retryAfter().orElse(null)
                : null;
    }

    private Failure.Kind kindOf(Throwable thrown) {
        if (thrown instanceof HandlerException handlerException) {
            return handlerException.retryAfter().isPresent() ? Failure.Kind.TRANSIENT : Failure.Kind.PARK;
        }
        return retry.kindOf(thrown).orElseGet(() -> defaultKindOf(thrown));
    }

    private static Failure.Kind defaultKindOf(Throwable thrown) {
        if (thrown instanceof PayloadException) {
            return Failure.Kind.UNREADABLE;
        }
        SQLException error = SqlStates.sqlCause(thrown);
        if (error != null) {
            return switch (SqlStates.stateOf(error).length() < 2
                    ? ""
                    : SqlStates.stateOf(error).substring(0, 2)) {
                case "22", "42", "0A" -> Failure.Kind.PERMANENT;
                default -> Failure.Kind.TRANSIENT;
            };
        }
        boolean hopeless = thrown instanceof ClassCastException
                || thrown instanceof LinkageError
                || thrown instanceof StackOverflowError
                || thrown instanceof UnsupportedOperationException;
        return hopeless ? Failure.Kind.PERMANENT : Failure.Kind.TRANSIENT;
    }
}
