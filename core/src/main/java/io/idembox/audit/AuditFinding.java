// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

/**
 * A sign that the audit trail was altered, or cannot be verified.
 *
 * @param number the operation; 0 when it concerns the whole trail
 * @param text one sentence
 */
public record AuditFinding(Kind kind, long number, String text) {

    /** The kind of finding. */
    public enum Kind {
        /** An operation differs from what was sealed. */
        CHANGED,
        /** Operations are missing. */
        MISSING,
        /** An operation has no seal, or was sealed without a key although one was in use. */
        UNSEALED,
        /** The end of the trail does not match a head that was kept. */
        CUT,
        /** It was sealed with a key that was not given, so it cannot be verified. */
        KEY_UNKNOWN
    }

    @Override
    public String toString() {
        return kind + (number == 0 ? "" : " at " + number) + ": " + text;
    }
}
