// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation with its columns as stored: the content of a seal. Nothing in it is interpreted, because tampered values
 * may be invalid.
 *
 * @param number its number in the audit trail
 * @param key the name of the key it is sealed with; null for none
 */
public record OperationRow(
        long number,
        @Nullable String key,
        String id,
        String kind,
        int consumer,
        String by,
        @Nullable String role,
        String reason,
        @Nullable String filter,
        Instant at,
        int asked,
        int done,
        List<Long> arrivals,
        String results,
        String states) {

    public OperationRow {
        arrivals = List.copyOf(arrivals);
    }

    static OperationRow of(long number, @Nullable String key, RecordedOperation done) {
        Operation operation = done.operation();
        return new OperationRow(
                number,
                key,
                operation.id(),
                done.command().name(),
                done.consumer(),
                operation.by(),
                operation.role(),
                operation.reason(),
                operation.filter(),
                done.at(),
                done.treatedMessage().size(),
                done.done(),
                List.copyOf(done.treatedMessage().keySet()),
                CommandResultCodec.encodeResults(done),
                CommandResultCodec.encodeStates(done));
    }

    /**
     * Decodes the row.
     *
     * @throws IllegalArgumentException when a value is invalid
     */
    public RecordedOperation decode() {
        return new RecordedOperation(
                Command.valueOf(kind),
                consumer,
                new Operation(id, by, role, reason, filter),
                at,
                CommandResultCodec.decode(arrivals, results, states));
    }

    /** An operation with its seal, in hexadecimal digits; empty when it has none. */
    public record Sealed(OperationRow operationRow, String seal) {}

    /**
     * The end of the audit trail.
     *
     * @param number of the last operation; 0 when there is none
     * @param seal of the last operation; empty when there is none
     */
    public record Head(long number, String seal) {}
}
