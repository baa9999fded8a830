// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import io.idembox.Headers;
import io.idembox.MessageId;
import java.util.Objects;

/**
 * A call to an outside system that a handler recorded with its effect, to be sent later. Immutable.
 *
 * @param consumer the consumer whose handler recorded it
 * @param name the name of the intent, such as {@code charge}
 * @param key the idempotency key for the provider: the same for every attempt, and unique to this intent
 * @param request the request of the handler
 * @param headers trace and cause
 * @param cause the message that was handled
 * @param history this attempt and what is known about earlier ones
 */
public record Intent<T>(
        String consumer, String name, String key, T request, Headers headers, MessageId cause, AttemptHistory history) {

    public Intent {
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(headers, "headers");
        Objects.requireNonNull(cause, "cause");
        Objects.requireNonNull(history, "history");
    }

    /** The number of this attempt, starting at 1. */
    public int attempt() {
        return history.attempt();
    }

    /** Formats the intent for logs and errors, without the request. */
    @Override
    public String toString() {
        return consumer + "/" + name + " " + key;
    }
}
