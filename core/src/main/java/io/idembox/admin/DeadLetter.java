// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.Message;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message that another system gave up on, with the error that system reported.
 *
 * @param message the original message: the same source, id, key, headers, payload and position
 * @param errorClass the class of the exception; "unknown" if not reported
 * @param error the message of the exception
 * @param stackTrace null if not reported; only class names and code locations of it are stored
 * @param sentBefore the message was sent at this time or earlier; null when unknown, and then its age is not checked
 */
public record DeadLetter(
        Message message,
        String errorClass,
        String error,
        @Nullable String stackTrace,
        @Nullable Instant sentBefore) {

    public DeadLetter {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(errorClass, "errorClass");
        Objects.requireNonNull(error, "error");
    }

    /** Creates a dead letter with {@code sentBefore} set to the time of the message. */
    public DeadLetter(Message message, String errorClass, String error, @Nullable String stackTrace) {
        this(message, errorClass, error, stackTrace, message.time().orElse(null));
    }
}
