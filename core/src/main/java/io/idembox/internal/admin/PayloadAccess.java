// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.admin.StoredPayload;
import io.idembox.internal.engine.RegisteredConsumer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads payloads for operators. Each read is an operation that records the operator and the reason. Thread-safe. */
final class PayloadAccess {

    private final AdminStore rows;
    private final OperationExecutor operations;

    PayloadAccess(AdminStore rows, OperationExecutor operations) {
        this.rows = rows;
        this.operations = operations;
    }

    /** @param revision null for the newest */
    Optional<StoredPayload> read(
            RegisteredConsumer consumer, long arrival, @Nullable Integer revision, Operation operation) {
        Optional<StoredPayload> found = rows.payload(arrival, revision);
        Operation whole = operation.selectedBy(
                "revision=" + found.map(StoredPayload::revision).orElse(revision));
        TreatedMessage treatedMessage =
                new TreatedMessage(found.isPresent() ? CommandResult.DONE : CommandResult.NO_BODY, null);
        OperationExecutor.Answer answer = operations.run(
                new OperationExecutor.Request(consumer, Command.READ, whole, Set.of(arrival)),
                tx -> Map.of(arrival, treatedMessage));
        if (answer.repeated() && !answer.kept().operation().by().equals(operation.by())) {
            throw new IllegalArgumentException("The operation id " + operation.id() + " was already used by "
                    + answer.kept().operation().by() + " at " + answer.kept().at()
                    + " to read this payload. Use a new id.");
        }
        return found;
    }
}
