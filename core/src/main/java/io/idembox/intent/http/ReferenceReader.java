// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the provider's reference from a response. Never fails, because the call has already succeeded. */
final class ReferenceReader {

    static final int MAX_LENGTH = 200;

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

    boolean isConfigured() {
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
                    "Provider answered {}, but its reference could not be read ({}); the intent is completed without it. Check "
                            + "HttpSender.reference.",
                    answer.status(),
                    unreadable.getClass().getSimpleName());
            return null;
        }
    }

    /** A long reference is dropped, not truncated: a truncated reference is a wrong one. */
    private static @Nullable String checked(@Nullable String found) {
        if (found == null || found.isEmpty()) {
            return null;
        }
        if (found.length() > MAX_LENGTH || found.chars().anyMatch(Character::isISOControl)) {
            log.warn(
                    "Provider's reference of {} characters is too long (maximum {}) or has control characters; the intent is "
                            + "completed without it.",
                    found.length(),
                    MAX_LENGTH);
            return null;
        }
        return found;
    }
}
