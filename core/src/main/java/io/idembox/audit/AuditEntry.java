// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operation in the audit trail.
 *
 * @param number its number in the trail: 1, 2, 3, …
 * @param touched each message that it was given
 * @param sealedWith the name of the key; null when it was sealed without a key
 */
public record AuditEntry(
        long number,
        Instant at,
        String consumer,
        Command command,
        Operation operation,
        List<Touched> touched,
        @Nullable String sealedWith) {

    public AuditEntry {
        touched = List.copyOf(touched);
    }

    /** Returns how many messages were changed. */
    public long done() {
        return touched.stream()
                .filter(each -> each.result() == CommandResult.DONE)
                .count();
    }

    public Optional<String> sealedWithIfAny() {
        return Optional.ofNullable(sealedWith);
    }

    /**
     * The result for one message.
     *
     * @param arrival the arrival number; 0 when the command was for the consumer itself
     * @param before the status before the command; null when the message was not found or its status was not read
     */
    public record Touched(
            long arrival, CommandResult result, @Nullable Status before) {}
}
