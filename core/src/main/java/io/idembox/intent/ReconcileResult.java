// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The provider's answer about an intent whose outcome was unknown. */
public sealed interface ReconcileResult {

    /** The provider executed it; with its own reference, or null. */
    static ReconcileResult sent(@Nullable String reference) {
        return new WasSent(reference);
    }

    /** The provider has not executed it and is not still processing it. The intent is sent again. */
    static ReconcileResult notSent() {
        return new WasNotSent();
    }

    /** The outcome is still unknown; the provider is asked again later. */
    static ReconcileResult stillUnknown(String why) {
        return new NotKnown(why, null);
    }

    /** The outcome is still unknown; the provider is asked again after the pause. */
    static ReconcileResult askAgainAfter(Duration pause, String why) {
        return new NotKnown(why, Objects.requireNonNull(pause, "pause"));
    }

    /** The provider executed the intent. */
    record WasSent(@Nullable String reference) implements ReconcileResult {}

    /** The provider did not execute the intent. */
    record WasNotSent() implements ReconcileResult {}

    /** The outcome is still unknown. */
    record NotKnown(String why, @Nullable Duration pause) implements ReconcileResult {

        public NotKnown {
            Objects.requireNonNull(why, "why");
        }
    }
}
