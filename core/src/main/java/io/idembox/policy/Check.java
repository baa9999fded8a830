// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.InboxConfigurationException;
import org.jspecify.annotations.Nullable;

/** Settings defend themselves, in the reader's words. */
final class Check {

    private Check() {}

    static void that(boolean holds, String message, @Nullable Object... args) {
        if (!holds) {
            throw new InboxConfigurationException(message.formatted(args));
        }
    }
}
