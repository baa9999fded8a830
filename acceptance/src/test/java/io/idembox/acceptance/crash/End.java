// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

/** What has to become of a message. */
enum End {
    /** It has its effect, once. */
    DONE("COMPLETED", true, false),
    /** It failed until it was given up; its body is kept. */
    FAILED("FAILED_TERMINAL", false, true),
    /** Somebody gave it up. */
    DISCARDED("DISCARDED OPERATOR", false, false),
    /** Its key was past it. */
    PASSED("COMPLETED", false, false),
    /** Something in front of it never came. */
    BEHIND_A_GAP("PARKED GAP", false, true),
    /** It ended one process too many. */
    CRASHED("PARKED CRASH", false, true);

    private final String status;
    private final boolean effective;
    private final boolean kept;

    End(String status, boolean effective, boolean kept) {
        this.status = status;
        this.effective = effective;
        this.kept = kept;
    }

    /** Status and reason in the view. */
    String status() {
        return status;
    }

    boolean isEffective() {
        return effective;
    }

    /** Whether its body has to be there. */
    boolean isKept() {
        return kept;
    }
}
