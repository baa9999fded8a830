// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a consumer identifies messages.
 *
 * @param strategy where the id is
 * @param previous the previous strategy, during a change: ids of both strategies are recognized until it is removed;
 *     null when not changing
 * @param missing what happens to a message without an id
 * @param fingerprint how payloads with the same id are compared
 */
public record IdentityPolicy(
        Identity strategy, @Nullable Identity previous, MissingId missing, Fingerprint fingerprint) {

    private static final IdentityPolicy DEFAULTS =
            new IdentityPolicy(Identity.standard(), null, MissingId.PARK, Fingerprint.ofBytes());

    public IdentityPolicy {
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(missing, "missing");
        Objects.requireNonNull(fingerprint, "fingerprint");
    }

    /** {@link Identity#standard()}; messages without an id are parked; all payload bytes are compared. */
    public static IdentityPolicy defaults() {
        return DEFAULTS;
    }

    public static IdentityPolicy by(Identity strategy) {
        return new IdentityPolicy(strategy, null, MissingId.PARK, Fingerprint.ofBytes());
    }

    /** Also recognizes messages that were recorded with the id of this older strategy. */
    public IdentityPolicy replacing(Identity older) {
        return new IdentityPolicy(strategy, older, missing, fingerprint);
    }

    public IdentityPolicy missing(MissingId newMissing) {
        return new IdentityPolicy(strategy, previous, newMissing, fingerprint);
    }

    public IdentityPolicy fingerprint(Fingerprint newFingerprint) {
        return new IdentityPolicy(strategy, previous, missing, newFingerprint);
    }

    public Optional<Identity> previousIfAny() {
        return Optional.ofNullable(previous);
    }
}
