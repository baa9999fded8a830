// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.InboxConfigurationException;
import io.idembox.internal.DurationLimits;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks settings and throws {@link InboxConfigurationException}. */
final class PolicyCheck {

    private PolicyCheck() {}

    static void require(boolean holds, String message, @Nullable Object... args) {
        if (!holds) {
            throw new InboxConfigurationException(message.formatted(args));
        }
    }

    /** The spelling of a value in a policy file: {@code SKIP_PARKED} is {@code skip-parked}. */
    static String yamlName(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Requires a duration of at least that many milliseconds and at most ten years. */
    static void requireDuration(String name, Duration time, long shortestMillis) {
        DurationLimits.complaint(name, time, Duration.ofMillis(shortestMillis)).ifPresent(complaint -> {
            throw new InboxConfigurationException(complaint);
        });
    }
}
