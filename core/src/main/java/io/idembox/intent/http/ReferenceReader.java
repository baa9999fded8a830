// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the provider's own reference in an answer. What was done is done, so nothing here fails. */
final class ReferenceReader {

    static final int LONGEST = 200;

    private static final Logger log = LoggerFactory.getLogger(HttpSender.class);
    private static final ReferenceReader NONE = new ReferenceReader(null);

    private final @Nullable Function<ProviderResponse, @Nullable String> reading;

    private ReferenceReader(@Nullable Function<ProviderResponse, @Nullable String> reading) {
        this.reading = reading;
    }

    static ReferenceReader none() {
        return NONE;
    }

    static ReferenceReader by(Function<ProviderResponse, @Nullable String> reading) {
        return new ReferenceReader(reading);
    }

    boolean isWanted() {
        return reading != null;
    }

    @Nullable
    String in(ProviderResponse answer) {
        if (reading == null) {
            return null;
        }
        try {
            return checked(reading.apply(answer));
        } catch (RuntimeException unreadable) {
            log.warn(
                    "The provider answered {}, but its reference could not be read ({}); it is kept without one. Check "
                            + "HttpSender.reference.",
                    answer.status(),
                    unreadable.getClass().getSimpleName());
            return null;
        }
    }

    /** Why not cut: the beginning of a reference is a wrong reference. */
    private static @Nullable String checked(@Nullable String found) {
        if (found == null || found.isEmpty()) {
            return null;
        }
        if (found.length() > LONGEST || found.chars().anyMatch(Character::isISOControl)) {
            log.warn(
                    "A provider's reference has {} characters, or characters that cannot be shown; it is left out. At most "
                            + "{} are kept.",
                    found.length(),
                    LONGEST);
            return null;
        }
        return found;
    }
}
