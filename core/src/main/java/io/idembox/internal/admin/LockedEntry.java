// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.EntryState;
import org.jspecify.annotations.Nullable;

/**
 * An entry whose row is locked, as it is now.
 *
 * @param version to be compared with what somebody saw
 * @param key the number of its key; null where no order is kept
 * @param sequenceNumber its place in the sequence of its key; null where none is guarded
 * @param generation 0, or which replay of its message it is
 * @param kept whether its body is kept
 * @param leased whether somebody works on it
 * @param redelivered whether its broker delivers it again: then its next attempt runs the broker's payload
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
