// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.HandleResult;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.PayloadException;
import io.idembox.StoreUnavailableException;
import java.sql.Connection;
import java.util.List;

/**
 * Records and handles one message inside a transaction that the caller began and will commit. The ledger row and the effect
 * commit or roll back with it; the inbox cannot promise that commit. Thread-safe.
 */
final class CallersTransaction {

    private final InboxStore store;
    private final RegisteredConsumer consumer;
    private final Admission admission;
    private final BatchTransaction batches;
    private final Recorder recorder;

    CallersTransaction(
            InboxStore store,
            RegisteredConsumer consumer,
            Admission admission,
            BatchTransaction batches,
            Recorder recorder) {
        this.store = store;
        this.consumer = consumer;
        this.admission = admission;
        this.batches = batches;
        this.recorder = recorder;
    }

    HandleResult handle(Connection connection, Message message, InboxHandler handler) throws Exception {
        if (connection.getAutoCommit()) {
            throw new InboxConfigurationException(
                    "The connection given to handle(connection, ...) commits every statement on"
                            + " its own, so mark and effect would not be one transaction. Call setAutoCommit(false) first.");
        }
        if (consumer.policy().sequence() != null) {
            throw new InboxConfigurationException("Consumer " + consumer.name()
                    + " guards the sequence of its keys, and handle(connection, ...) keeps no order. Use"
                    + " handle(consumer, message, work) or store(consumer, message).");
        }
        Admission.Admitted admitted = admission.admit(List.of(message), each -> new HandlerTask.Single(handler));
        if (admitted.incomings().isEmpty() || admitted.incomings().get(0).task() instanceof HandlerTask.Doomed) {
            throw new PayloadException(
                    message
                            + " cannot be handled in a transaction of yours: it has no usable id, or it is over a limit.",
                    null);
        }
        store.prepare(admitted.incomings());
        try {
            return batches.runIn(recorder, connection, admitted.incomings().get(0));
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The database did not record " + message + " in your transaction (" + failed.kind()
                            + "). Roll it back; the message is delivered again.",
                    failed);
        }
    }
}
