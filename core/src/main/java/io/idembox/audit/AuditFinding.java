// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

/**
 * Something about the trail that is not as it was written.
 *
 * @param number where; 0 when it is the whole trail
 * @param text what it is, in one sentence
 */
public record AuditFinding(Kind kind, long number, String text) {

    /** What happened to the trail. */
    public enum Kind {
        /** An operation is not the one that was sealed there. */
        CHANGED,
        /** Operations are gone. */
        MISSING,
        /** There is an operation that nobody sealed. */
        UNSEALED,
        /** The end of the trail is not the one that is remembered. */
        CUT,
        /** It was sealed with a key that is not given here, so nobody can tell. */
        KEY_UNKNOWN
    }

    @Override
    public String toString() {
        return kind + (number == 0 ? "" : " at " + number) + ": " + text;
    }
}
