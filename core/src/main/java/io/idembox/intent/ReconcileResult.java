// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a provider says about an intent whose outcome was not known. */
public sealed interface ReconcileResult {

    /** The provider did it; with its own reference, or null. */
    static ReconcileResult sent(@Nullable String reference) {
        return new WasSent(reference);
    }

    /** The provider did not do it and will not: nothing of it is under way any more. It is tried again. */
    static ReconcileResult notSent() {
        return new WasNotSent();
    }

    /** The provider does not know either; it is asked again later. */
    static ReconcileResult stillUnknown(String why) {
        return new NotKnown(why, null);
    }

    /** The same, and it is known when it is worth while to ask again. */
    static ReconcileResult askAgainAfter(Duration pause, String why) {
        return new NotKnown(why, Objects.requireNonNull(pause, "pause"));
    }

    /** Done. */
    record WasSent(@Nullable String reference) implements ReconcileResult {}

    /** Not done. */
    record WasNotSent() implements ReconcileResult {}

    /** Nobody knows. */
    record NotKnown(String why, @Nullable Duration pause) implements ReconcileResult {

        public NotKnown {
            Objects.requireNonNull(why, "why");
        }
    }
}
