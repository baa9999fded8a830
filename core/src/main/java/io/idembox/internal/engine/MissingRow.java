// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Why an entry under a lease cannot be worked on: a row it needs is not in the database. It is parked with this reason, because a
 * retry cannot succeed. An operator can restore the row and redrive it.
 */
public enum MissingRow {
    BODY_GONE(
            "Its body is not in the database, so there is nothing to handle. It was deleted, or the tables were restored from"
                    + " different points in time. Restore the row of idembox_body and redrive it, or discard it."),
    SOURCE_GONE(
            "The row of its source is not in the database, so its identity is not known. It was deleted, or the tables were"
                    + " restored from different points in time. Restore the row of idembox_source and redrive it, or discard it.");

    private final String words;

    MissingRow(String words) {
        this.words = words;
    }

    public Failure failure() {
        return ErrorText.refusal(Failure.Kind.PARK, name(), words);
    }

    FailureOutcome outcome() {
        return FailureOutcome.parked(name(), failure());
    }

    /** Whether something was parked for a reason of this kind. */
    static boolean is(@Nullable String reason) {
        for (MissingRow each : values()) {
            if (each.name().equals(reason)) {
                return true;
            }
        }
        return false;
    }
}
