// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An operator's decision: who, why, and an id that makes it idempotent.
 *
 * @param id 1 to 100 printable characters; the same id again changes nothing and returns the first result
 * @param by the operator, at most 200 characters
 * @param role the role of the operator, at most 40 characters; null when not given
 * @param reason at most 2,000 characters; stored in the audit trail
 * @param filter how the messages were selected, at most 2,000 characters; null when they were named one by one
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

    /**
     * Creates an operation with a random id. Keep it until its report has arrived: after an error, repeat the call with
     * the same operation to find out the result.
     */
    public static Operation of(String by, String reason) {
        return new Operation(UUID.randomUUID().toString(), by, reason);
    }

    /** Returns a copy with the role of the operator. */
    public Operation as(String newRole) {
        return new Operation(id, by, newRole, reason, filter);
    }

    /** Returns a copy with the filter that selected the messages, as the operator wrote it. */
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
