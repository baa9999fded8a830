// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer sends for duplicates and failed messages.
 *
 * @param onDuplicate what happens for a message that was handled before
 * @param deadLetters the outbox destination that also gets messages whose handler failed permanently; null to keep them
 *     only in the inbox
 */
public record OutgoingPolicy(
        OnDuplicate onDuplicate, @Nullable String deadLetters) {

    private static final OutgoingPolicy DEFAULTS = new OutgoingPolicy(OnDuplicate.RESULT, null);

    public OutgoingPolicy {
        Objects.requireNonNull(onDuplicate, "onDuplicate");
        PolicyCheck.require(deadLetters == null || !deadLetters.isBlank(), "outgoing.dead-letters must not be empty");
    }

    /** Duplicates get the result of the first delivery; failed messages are only kept in the inbox. */
    public static OutgoingPolicy defaults() {
        return DEFAULTS;
    }

    public OutgoingPolicy onDuplicate(OnDuplicate newOnDuplicate) {
        return new OutgoingPolicy(newOnDuplicate, deadLetters);
    }

    /** Also sends permanently failed messages to that destination, once per message. */
    public OutgoingPolicy deadLetters(@Nullable String destination) {
        return new OutgoingPolicy(onDuplicate, destination);
    }

    public Optional<String> deadLettersIfAny() {
        return Optional.ofNullable(deadLetters);
    }
}
