// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What happens to a message in which the identity strategy finds no usable id. */
public enum MissingId {
    /** Parked with its body, identified by a digest of all its parts; acknowledged. */
    PARK,
    /**
     * Topic, partition and offset become the id. Recognizes redelivery, but not producer retries; logged once per
     * consumer.
     */
    DERIVE,
    /** Refused and not acknowledged: the broker's own dead-lettering decides. */
    RELEASE,
    /** Refused and acknowledged: the message is lost. */
    DROP
}
