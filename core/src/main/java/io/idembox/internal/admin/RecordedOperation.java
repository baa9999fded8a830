// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A stored operation with its results.
 *
 * @param consumer the number of the consumer
 * @param at the time of the database
 * @param treatedMessage by arrival number; empty while the operation is being executed
 */
public record RecordedOperation(
        Command command, int consumer, Operation operation, Instant at, Map<Long, TreatedMessage> treatedMessage) {

    /** Returns how many messages were changed. */
    public int done() {
        return changed().size();
    }

    /** Returns the messages that were changed. */
    public List<Long> changed() {
        return treatedMessage.entrySet().stream()
                .filter(each -> each.getValue().result() == CommandResult.DONE)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the result for one message. */
    public CommandResult resultOf(long arrival) {
        return Objects.requireNonNull(treatedMessage.get(arrival)).result();
    }
}
