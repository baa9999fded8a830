// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a consumer tells messages apart.
 *
 * @param strategy where the id is
 * @param previous the strategy used before, while a change is rolled out: both ids count until it is taken away
 * @param missing what happens without an id
 * @param fingerprint what tells two payloads of one id apart
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

    /** {@link Identity#standard()}, messages without an id are parked, all payload bytes count. */
    public static IdentityPolicy defaults() {
        return DEFAULTS;
    }

    public static IdentityPolicy by(Identity strategy) {
        return new IdentityPolicy(strategy, null, MissingId.PARK, Fingerprint.ofBytes());
    }

    /** A message also counts as seen if it was seen under the id this older strategy gives it. */
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
