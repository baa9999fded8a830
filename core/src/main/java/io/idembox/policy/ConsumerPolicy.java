// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;

/**
 * How one consumer behaves. Changing it while running: no.
 *
 * @param recording how much of a message is kept
 * @param identity how messages are told apart
 * @param retry when a failed message is tried again
 * @param unknownType what happens to a message no handler is registered for
 * @param limits how large a message may be
 */
public record ConsumerPolicy(
        Recording recording, IdentityPolicy identity, RetryPolicy retry, UnknownType unknownType, Limits limits) {

    private static final ConsumerPolicy DEFAULTS = new ConsumerPolicy(
            Recording.MARKS, IdentityPolicy.defaults(), RetryPolicy.defaults(), UnknownType.PARK, Limits.defaults());

    public ConsumerPolicy {
        Objects.requireNonNull(recording, "recording");
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(unknownType, "unknownType");
        Objects.requireNonNull(limits, "limits");
    }

    public static ConsumerPolicy defaults() {
        return DEFAULTS;
    }

    public ConsumerPolicy recording(Recording newRecording) {
        return new ConsumerPolicy(newRecording, identity, retry, unknownType, limits);
    }

    public ConsumerPolicy identity(IdentityPolicy newIdentity) {
        return new ConsumerPolicy(recording, newIdentity, retry, unknownType, limits);
    }

    public ConsumerPolicy retry(RetryPolicy newRetry) {
        return new ConsumerPolicy(recording, identity, newRetry, unknownType, limits);
    }

    public ConsumerPolicy unknownType(UnknownType newUnknownType) {
        return new ConsumerPolicy(recording, identity, retry, newUnknownType, limits);
    }

    public ConsumerPolicy limits(Limits newLimits) {
        return new ConsumerPolicy(recording, identity, retry, unknownType, newLimits);
    }
}
