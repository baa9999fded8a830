// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.UUID;

/**
 * One decision of somebody: who, why, and an id by which the inbox knows it again.
 *
 * @param id 1 to 100 printable characters; the same id again does nothing and answers what was done
 * @param by who decided, at most 200 characters
 * @param reason why, at most 2,000 characters; it is kept
 */
public record Operation(String id, String by, String reason) {

    public Operation {
        check("id", id, 100);
        check("by", by, 200);
        check("reason", reason, 2_000);
    }

    /** A new decision. Keep it until its report is there: to find out after an error, make the same call again with it. */
    public static Operation of(String by, String reason) {
        return new Operation(UUID.randomUUID().toString(), by, reason);
    }

    private static void check(String what, String text, int limit) {
        boolean printable = text.codePoints()
                .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
        if (text.isBlank() || text.length() > limit || !printable) {
            throw new IllegalArgumentException("The " + what + " of an operation has 1 to " + limit
                    + " printable characters; was '" + text.replaceAll("\\p{Cntrl}", "?") + "'");
        }
    }
}
