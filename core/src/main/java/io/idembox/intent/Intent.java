// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import io.idembox.Headers;
import io.idembox.MessageId;
import java.util.Objects;

/**
 * An effect outside the database that a handler recorded, and that somebody has to bring about. Immutable.
 *
 * @param consumer whose handler intended it
 * @param name what is to be done, such as {@code charge}
 * @param key the idempotency key for the provider: the same whenever this intent is tried, and no other intent has it
 * @param request what the handler said
 * @param headers trace and cause
 * @param cause the message that was handled
 * @param history this try, and what is known of those before it
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
        Objects.requireNonNull(history, "tries");
    }

    /** 1 for the first try. */
    public int attempt() {
        return history.attempt();
    }

    /** Names the intent for logs and errors, without the request. */
    @Override
    public String toString() {
        return consumer + "/" + name + " " + key;
    }
}
