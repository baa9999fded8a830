// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.admin.Command;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.admin.LockedEntry;
import io.idembox.internal.admin.RecordedOperation;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Commands with one thing taken out. */
final class BrokenCommands {

    private BrokenCommands() {}

    /** Does not know an operation again. */
    static CommandStore forgetful(CommandStore real) {
        Map<Transaction, RecordedOperation> now = new ConcurrentHashMap<>();
        return new CommandDecorator(real) {
            @Override
            public boolean open(Transaction tx, RecordedOperation asked) {
                super.open(tx, asked);
                now.put(tx, asked);
                return true;
            }

            @Override
            public Optional<RecordedOperation> find(Transaction tx, String operationId) {
                return Optional.ofNullable(now.get(tx));
            }
        };
    }

    /** Nothing is left of what was discarded, as with a plain delete. */
    static CommandStore deleting(CommandStore real) {
        return new CommandDecorator(real) {
            @Override
            public void change(Transaction tx, RegisteredConsumer consumer, Change change) {
                if (change.command() == Command.DISCARD) {
                    change.arrivals().forEach(arrival -> Blind.delete(tx.connection(), arrival));
                } else {
                    super.change(tx, consumer, change);
                }
            }
        };
    }

    /** Does not look at leases. */
    static CommandStore careless(CommandStore real) {
        return new CommandDecorator(real) {
            @Override
            public List<LockedEntry> lockEntries(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals) {
                return super.lockEntries(tx, consumer, arrivals).stream()
                        .map(row -> new LockedEntry(
                                row.arrival(),
                                row.state(),
                                row.version(),
                                row.key(),
                                row.sequenceNumber(),
                                row.generation(),
                                row.kept(),
                                false,
                                row.redelivered()))
                        .toList();
            }
        };
    }
}
