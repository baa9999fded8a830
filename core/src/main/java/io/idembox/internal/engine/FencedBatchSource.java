// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.internal.connection.HandlerSession;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Commits only while the lanes that its messages came from are this process's. Marks alone keep effects from happening twice;
 * the fence keeps a process that was frozen for a while from going on with work that is somebody else's by now. Thread-safe.
 */
final class FencedBatchSource implements BatchSource {

    private final BatchSource source;
    private final PartitionStore owners;
    private final RegisteredConsumer consumer;
    private final Map<String, UUID> tokens;
    private final Runnable lost;

    FencedBatchSource(
            BatchSource source,
            PartitionStore owners,
            RegisteredConsumer consumer,
            Map<String, UUID> tokens,
            Runnable lost) {
        this.source = source;
        this.owners = owners;
        this.consumer = consumer;
        this.tokens = tokens;
        this.lost = lost;
    }

    @Override
    public List<RecordedMessage> open(Transaction tx, List<IncomingMessage> incomings, LockWait lockWait) {
        owners.fence(tx, consumer, tokens);
        return source.open(tx, incomings, lockWait);
    }

    @Override
    public void settle(Transaction tx, List<MessageResult> results) {
        source.settle(tx, results);
    }

    @Override
    public MessageSteps steps(RecordedMessage recorded, HandlerSession admin) {
        return source.steps(recorded, admin);
    }

    @Override
    public void begins(HandlerCall call) {
        source.begins(call);
    }

    @Override
    public void ends(HandlerCall call) {
        source.ends(call);
    }

    @Override
    public void committed(List<MessageResult> results) {
        source.committed(results);
    }

    @Override
    public boolean answers() {
        return source.answers();
    }

    @Override
    public void fenced() {
        lost.run();
    }

    @Override
    public Set<IncomingMessage> park(Transaction tx, List<RecordedMessage> ours, Failure failure) {
        return source.park(tx, ours, failure);
    }
}
