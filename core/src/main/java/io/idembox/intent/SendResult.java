// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The result of sending an intent. */
public sealed interface SendResult {

    /** The provider executed it; with its own reference, such as a charge id, or null. */
    static SendResult sent(@Nullable String reference) {
        return new Sent(reference);
    }

    /** The provider certainly did not execute it, and a retry may succeed. Counts as an attempt. */
    static SendResult retry(String why) {
        return new Retry(why, null);
    }

    /** As {@link #retry}, not before the pause requested by the provider. */
    static SendResult retryAfter(Duration pause, String why) {
        return new Retry(why, Objects.requireNonNull(pause, "pause"));
    }

    /** The provider certainly did not execute it, and a retry cannot succeed. */
    static SendResult failed(String why) {
        return new Failed(why);
    }

    /** The request was sent, and its outcome is unknown: no answer, or an inconclusive one. */
    static SendResult unknown(String why) {
        return new Unknown(why);
    }

    /** The provider executed the intent. */
    record Sent(@Nullable String reference) implements SendResult {}

    /** Not executed; it is retried. */
    record Retry(String why, @Nullable Duration pause) implements SendResult {

        public Retry {
            Objects.requireNonNull(why, "why");
        }
    }

    /** Not executed; it is not retried. */
    record Failed(String why) implements SendResult {

        public Failed {
            Objects.requireNonNull(why, "why");
        }
    }

    /** Executed or not. */
    record Unknown(String why) implements SendResult {

        public Unknown {
            Objects.requireNonNull(why, "why");
        }
    }
}
