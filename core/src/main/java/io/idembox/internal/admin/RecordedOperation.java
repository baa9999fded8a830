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
 * What an operation did, as it is kept.
 *
 * @param consumer the number of the consumer
 * @param at when; what is written is the database's own time
 * @param treatedMessage by arrival number; none yet while it is being done
 */
public record RecordedOperation(
        Command command, int consumer, Operation operation, Instant at, Map<Long, TreatedMessage> treatedMessage) {

    /** How many were changed. */
    public int done() {
        return changed().size();
    }

    /** Those that were changed. */
    public List<Long> changed() {
        return treatedMessage.entrySet().stream()
                .filter(each -> each.getValue().result() == CommandResult.DONE)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What became of one message. */
    public CommandResult verdict(long arrival) {
        return Objects.requireNonNull(treatedMessage.get(arrival)).result();
    }
}
