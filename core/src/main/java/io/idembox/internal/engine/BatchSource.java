// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.internal.connection.HandlerSession;
import java.util.List;
import java.util.Set;

/** Where the messages of one transaction come from, and how the transaction gives them back. */
interface BatchSource extends HandlerRunner.HandlerLifecycle {

    /** What is ours to run and what has its answer, in the order of arrival; the batch savepoint is set. */
    List<RecordedMessage> open(Transaction tx, List<IncomingMessage> incomings, LockWait lockWait);

    /** Writes how the messages ended: the last statements before the proof. */
    void settle(Transaction tx, List<MessageResult> results);

    @Override
    default MessageSteps steps(RecordedMessage recorded, HandlerSession admin) {
        return MessageSteps.refused(
                "in direct mode a message that fails is begun from its start, and nothing of it is kept.");
    }

    /** What was settled is committed. */
    void committed(List<MessageResult> results);

    /** Whether its receipts answer the deliveries, or are only a step before the answer; called after the commit. */
    default boolean answers() {
        return true;
    }

    /** Somebody else has the right to these messages by now: nothing was committed. */
    default void fenced() {
        // Who has a lease is told by its row.
    }

    /** Keeps messages whose transaction was torn for a human; those it could. */
    Set<IncomingMessage> park(Transaction tx, List<RecordedMessage> ours, Failure failure);
}
