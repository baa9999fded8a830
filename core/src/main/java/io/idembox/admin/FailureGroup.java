// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Messages that failed in the same way: the same exceptions from the same code location with the same text, ignoring
 * numbers, ids and quoted values. Failures that no handler threw are grouped by error class, or by reason if they have
 * no error class.
 *
 * @param id the same on every node and in every version of the library; accepted by filters and notes
 * @param title the common part of the errors: class and text, with # for the parts that differ
 * @param count how many messages the group has
 * @param firstAt the earliest of the messages' last failures
 * @param lastAt the latest of the messages' last failures
 * @param sample the message that arrived last, with its own error
 * @param note written by an operator; null when there is none
 */
public record FailureGroup(
        UUID id,
        String title,
        long count,
        Instant firstAt,
        Instant lastAt,
        InboxMessage sample,
        @Nullable Note note) {

    /** A note that an operator wrote about a group. */
    public record Note(String text, String by, Instant at) {}

    public Optional<Note> noteIfAny() {
        return Optional.ofNullable(note);
    }
}
