// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What happens to a message in which the identity strategy finds no usable id. */
public enum MissingId {
    /** Parked with its body, under a digest of all its parts; acknowledged. */
    PARK,
    /** Topic, partition and offset become the id. Absorbs redelivery, not producer retries; said once per consumer. */
    DERIVE,
    /** Refused and not acknowledged: the broker's own dead-lettering decides. */
    RELEASE,
    /** Refused and acknowledged: it is gone, by your word. */
    DROP
}
