// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What became of an intent, as far as its sender knows. */
public sealed interface SendResult {

    /** The provider did it; with its own reference, such as the number of a charge, or null. */
    static SendResult sent(@Nullable String reference) {
        return new Sent(reference);
    }

    /** The provider did not do it, for certain, and may do it later. Uses up an attempt. */
    static SendResult retry(String why) {
        return new Retry(why, null);
    }

    /** The same, and the provider says when. */
    static SendResult retryAfter(Duration pause, String why) {
        return new Retry(why, Objects.requireNonNull(pause, "pause"));
    }

    /** The provider did not do it, and never will. */
    static SendResult failed(String why) {
        return new Failed(why);
    }

    /** The request left, and nobody knows what became of it: no answer, or one that says nothing. */
    static SendResult unknown(String why) {
        return new Unknown(why);
    }

    /** Done. */
    record Sent(@Nullable String reference) implements SendResult {}

    /** Not done, and worth another try. */
    record Retry(String why, @Nullable Duration pause) implements SendResult {

        public Retry {
            Objects.requireNonNull(why, "why");
        }
    }

    /** Not done, and not worth another try. */
    record Failed(String why) implements SendResult {

        public Failed {
            Objects.requireNonNull(why, "why");
        }
    }

    /** Done or not. */
    record Unknown(String why) implements SendResult {

        public Unknown {
            Objects.requireNonNull(why, "why");
        }
    }
}
