// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.EntryState;
import org.jspecify.annotations.Nullable;

/**
 * An entry whose row is locked, in its current state.
 *
 * @param version to be compared with the version that an operator saw
 * @param key the number of its key; null when the consumer is not ordered
 * @param sequenceNumber its sequence number within its key; null when the consumer has no sequence policy
 * @param generation 0, or the number of the replay that the entry belongs to
 * @param kept whether its body is stored
 * @param leased whether it is under a lease
 * @param redelivered whether its broker will redeliver it: then its next attempt runs the payload of the broker
 */
public record LockedEntry(
        long arrival,
        EntryState state,
        String version,
        @Nullable Long key,
        @Nullable Long sequenceNumber,
        int generation,
        boolean kept,
        boolean leased,
        boolean redelivered) {}
