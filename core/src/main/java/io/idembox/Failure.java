// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cause of a failed attempt. Bounded in size and free of payload values. For database errors it contains the
 * SQLState, the violated constraint and the server's primary message, never the driver's batch text or the server's
 * detail, which quote column values.
 *
 * @param kind how the failure is treated
 * @param errorClass the class of the exception, or the name of the rule that refused the message
 * @param sqlState the SQLState of a database error; null otherwise
 * @param message what happened, at most 2,000 characters
 * @param stackTrace class, method and line of the innermost frames, at most 8 KB, without exception messages
 */
public record Failure(
        Kind kind,
        String errorClass,
        @Nullable String sqlState,
        String message,
        @Nullable String stackTrace) {

    /** How a failure is treated. */
    public enum Kind {
        /** May succeed later: retried until the retry policy gives up. */
        TRANSIENT,
        /** Will not succeed: FAILED_TERMINAL immediately. */
        PERMANENT,
        /** The payload cannot be read or is not valid: parked immediately, with its raw bytes. */
        UNREADABLE,
        /** The handler or a check requested it: parked immediately. */
        PARK
    }

    public Failure {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(errorClass, "errorClass");
        Objects.requireNonNull(message, "message");
    }

    public Optional<String> sqlStateIfAny() {
        return Optional.ofNullable(sqlState);
    }

    /** Formats the failure in one line. */
    public String summary() {
        return errorClass + (sqlState == null ? "" : " [" + sqlState + "]") + ": " + message;
    }
}
