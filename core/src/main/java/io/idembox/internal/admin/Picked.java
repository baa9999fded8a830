// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.EntryState;
import org.jspecify.annotations.Nullable;

/**
 * An entry whose row is locked, as it is now.
 *
 * @param version to be compared with what somebody saw
 * @param key the number of its key; null where no order is kept
 * @param kept whether its body is kept
 * @param leased whether somebody works on it
 */
public record Picked(
        long arrival,
        EntryState state,
        String version,
        @Nullable Long key,
        boolean kept,
        boolean leased) {}
