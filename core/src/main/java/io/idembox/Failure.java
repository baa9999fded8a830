// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt did not end well: bounded, and free of payload values. For database errors it carries the SQLState,
 * the violated constraint and the server's primary message, never the driver's batch text or the server's detail,
 * which quote column values.
 *
 * @param kind what the rules make of it
 * @param errorClass the class of the exception, or the name of the rule that refused
 * @param sqlState the SQLState, for database errors
 * @param message what happened, at most 2,000 characters
 * @param stackTrace class, method and line of the innermost frames, at most 8 KB; no exception messages in it
 */
public record Failure(
        Kind kind,
        String errorClass,
        @Nullable String sqlState,
        String message,
        @Nullable String stackTrace) {

    /** How a failure is treated. */
    public enum Kind {
        /** May pass: tried again until the retry policy gives up. */
        TRANSIENT,
        /** Will not pass: FAILED_TERMINAL at once. */
        PERMANENT,
        /** The payload cannot be read or is not valid: parked at once, raw bytes kept. */
        UNREADABLE,
        /** The handler or a guard asked to set it aside: parked at once. */
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

    /** One line for people. */
    public String summary() {
        return errorClass + (sqlState == null ? "" : " [" + sqlState + "]") + ": " + message;
    }
}
