// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One decision of somebody: who, why, and an id by which the inbox knows it again.
 *
 * @param id 1 to 100 printable characters; the same id again does nothing and answers what was done
 * @param by who decided, at most 200 characters
 * @param role as what they decided, at most 40 characters; null when nobody asked
 * @param reason why, at most 2,000 characters; it is kept
 * @param filter how the messages were found, at most 2,000 characters; null when they were named
 */
public record Operation(
        String id,
        String by,
        @Nullable String role,
        String reason,
        @Nullable String filter) {

    public Operation {
        check("id", id, 100);
        check("by", by, 200);
        check("reason", reason, 2_000);
        if (role != null) {
            check("role", role, 40);
        }
        if (filter != null) {
            check("filter", filter, 2_000);
        }
    }

    public Operation(String id, String by, String reason) {
        this(id, by, null, reason, null);
    }

    /** A new decision. Keep it until its report is there: to find out after an error, make the same call again with it. */
    public static Operation of(String by, String reason) {
        return new Operation(UUID.randomUUID().toString(), by, reason);
    }

    /** Decided as what. */
    public Operation as(String newRole) {
        return new Operation(id, by, newRole, reason, filter);
    }

    /** How the messages were found, in the words of whoever looked. */
    public Operation selectedBy(String newFilter) {
        return new Operation(id, by, role, reason, newFilter);
    }

    public Optional<String> roleIfAny() {
        return Optional.ofNullable(role);
    }

    public Optional<String> filterIfAny() {
        return Optional.ofNullable(filter);
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
