// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;

/** Finds the work for each message of one call. */
@FunctionalInterface
public interface HandlerLookup {

    HandlerTask jobFor(Message message);

    /** Whether they are registered on a subscription, so that workers can call them again later. */
    default boolean areRegistered() {
        return false;
    }
}
