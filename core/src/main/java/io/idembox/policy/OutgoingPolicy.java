// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer lets others know.
 *
 * @param onDuplicate what is done about a message that was handled before
 * @param deadLetters the destination of the outbox that messages are sent to, too, when their handler has failed for good; null
 *     when they are only kept
 */
public record OutgoingPolicy(
        OnDuplicate onDuplicate, @Nullable String deadLetters) {

    private static final OutgoingPolicy DEFAULTS = new OutgoingPolicy(OnDuplicate.RESULT, null);

    public OutgoingPolicy {
        Objects.requireNonNull(onDuplicate, "onDuplicate");
        PolicyCheck.that(deadLetters == null || !deadLetters.isBlank(), "outgoing.dead-letters must not be empty");
    }

    /** Duplicates get the result of the first time; what fails for good is kept here and nowhere else. */
    public static OutgoingPolicy defaults() {
        return DEFAULTS;
    }

    public OutgoingPolicy onDuplicate(OnDuplicate newOnDuplicate) {
        return new OutgoingPolicy(newOnDuplicate, deadLetters);
    }

    /** What fails for good is sent to that destination as well, once per message. */
    public OutgoingPolicy deadLetters(@Nullable String destination) {
        return new OutgoingPolicy(onDuplicate, destination);
    }

    public Optional<String> deadLettersIfAny() {
        return Optional.ofNullable(deadLetters);
    }
}
