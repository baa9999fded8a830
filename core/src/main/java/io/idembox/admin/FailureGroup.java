// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Messages that failed in the same way: the same exceptions from the same place of the application with the same words, whatever
 * numbers, ids and quoted values are in them. What was not thrown by a handler is grouped by its error class, and what has none by
 * its reason.
 *
 * @param id the same on every node and in every version of the library: what filters and notes take
 * @param title what all of them say: class and words of the error, with # for what differs
 * @param count how many there are
 * @param firstAt when the first of them failed last
 * @param lastAt when the last of them failed last
 * @param sample the one that arrived last, with its own error
 * @param note what somebody wrote down about it; null when nobody did
 */
public record FailureGroup(
        UUID id,
        String title,
        long count,
        Instant firstAt,
        Instant lastAt,
        InboxMessage sample,
        @Nullable Note note) {

    /** What people know about a group. */
    public record Note(String text, String by, Instant at) {}

    public Optional<Note> noteIfAny() {
        return Optional.ofNullable(note);
    }
}
