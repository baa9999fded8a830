// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.Message;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message that somebody else gave up, and what they say went wrong.
 *
 * @param message as it was when it first came: the same source, id, key, headers, payload and position
 * @param errorClass the class of the exception; "unknown" where nobody says
 * @param error what the exception said
 * @param stackTrace where it was thrown; null where nobody says. Only classes and places of it are kept
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

    /** With the time of the message. */
    public DeadLetter(Message message, String errorClass, String error, @Nullable String stackTrace) {
        this(message, errorClass, error, stackTrace, message.time().orElse(null));
    }
}
