// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.InboxConfigurationException;
import io.idembox.internal.DurationLimits;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Settings defend themselves, in the reader's words. */
final class PolicyCheck {

    private PolicyCheck() {}

    static void that(boolean holds, String message, @Nullable Object... args) {
        if (!holds) {
            throw new InboxConfigurationException(message.formatted(args));
        }
    }

    /** A value as a file of policies has it: {@code SKIP_PARKED} is {@code skip-parked}. */
    static String written(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A time of at least that many milliseconds, and not of more than ten years. */
    static void time(String name, Duration time, long shortestMillis) {
        DurationLimits.complaint(name, time, Duration.ofMillis(shortestMillis)).ifPresent(complaint -> {
            throw new InboxConfigurationException(complaint);
        });
    }
}
