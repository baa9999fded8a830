// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.Message;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message that somebody else gave up, and what they say went wrong.
 *
 * @param message as it was when it first came: the same source, id, key, headers, payload and position
 * @param errorClass the class of the exception; "unknown" where nobody says
 * @param error what the exception said
 * @param stackTrace where it was thrown; null where nobody says. Only classes and places of it are kept
 */
public record DeadLetter(
        Message message,
        String errorClass,
        String error,
        @Nullable String stackTrace) {

    public DeadLetter {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(errorClass, "errorClass");
        Objects.requireNonNull(error, "error");
    }
}
