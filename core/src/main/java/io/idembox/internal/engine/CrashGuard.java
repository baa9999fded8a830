// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Direct mode writes nothing before a handler runs, so a message that ends the process would do so for ever. Therefore the
 * process says which lanes it reads and how many messages of each it may have in flight; nothing is written per message.
 * Whoever takes a lane over from a process that went away without a word handles as many messages of it with care: claimed
 * first, one at a time. Thread-safe.
 */
final class CrashGuard {

    private final PartitionRegistry partitions;
    private final Function<Message, MessageId> identities;
    private final Set<MessageId> suspects = ConcurrentHashMap.newKeySet();

    CrashGuard(PartitionRegistry partitions, Function<Message, MessageId> identities) {
        this.partitions = partitions;
        this.identities = identities;
    }

    PartitionRegistry lanes() {
        return partitions;
    }

    /** A message was there when a process ended, and is not going to be handled together with others. */
    void suspect(MessageId id) {
        suspects.add(id);
    }

    /** Whether one of the messages may have ended a process. */
    boolean calls(List<Message> messages) {
        return messages.stream().anyMatch(this::calls);
    }

    /** Whether the message may have ended a process. */
    boolean calls(Message message) {
        return partitions.isCareful(message) || (!suspects.isEmpty() && suspects.contains(identities.apply(message)));
    }

    /** A message was handled with care, and the process is still there. */
    void survived(Message message, Receipt receipt) {
        if (receipt.kind() == Receipt.Kind.BUSY) {
            return;
        }
        if (!suspects.isEmpty()) {
            suspects.remove(identities.apply(message));
        }
        if (receipt.kind() != Receipt.Kind.DUPLICATE) {
            partitions.survived(message);
        }
    }
}
