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
 * What somebody did.
 *
 * @param number its place in the trail: 1, 2, 3, …
 * @param touched each message it was about
 * @param sealedWith the name of the key; null when there was none
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

    /** How many were changed. */
    public long done() {
        return touched.stream()
                .filter(each -> each.result() == CommandResult.DONE)
                .count();
    }

    public Optional<String> sealedWithIfAny() {
        return Optional.ofNullable(sealedWith);
    }

    /**
     * One message.
     *
     * @param arrival its number in the inbox; 0 when the command was for the consumer itself
     * @param before where it stood; null when it was not there, or nobody looked
     */
    public record Touched(
            long arrival, CommandResult result, @Nullable Status before) {}
}
