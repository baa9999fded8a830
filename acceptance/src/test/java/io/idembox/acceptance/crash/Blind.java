// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Settles entries without asking whose they are. */
class Blind extends StoreDecorator {

    Blind(InboxStore real) {
        super(real);
    }

    @Override
    public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
        for (MessageResult result : results) {
            boolean taken =
                    result.recorded().holds().stream().anyMatch(hold -> hold.snapshot() != null && !hold.isNew());
            if (taken && result.kind() == MessageResult.Kind.COMPLETED) {
                for (RecordedMessage.Hold hold : result.recorded().holds()) {
                    run(tx.connection(), "delete from idembox_entry where arrival = ?", hold.arrival());
                }
            } else {
                super.settle(tx, consumer, List.of(result));
            }
        }
    }

    static void letAllPass(Connection connection) {
        run(connection, "update idembox_entry set state = 'RECEIVED' where state = 'WAITING' and arrival > ?", 0);
    }

    static void fail(Connection connection, RegisteredConsumer consumer, long arrival) {
        int rows = run(
                connection,
                "update idembox_entry set failures = failures + 1, state = 'FAILED_RETRYABLE',"
                        + " due_at = timestamp with time zone '2020-01-01 00:00:00+00' where arrival = ?",
                arrival);
        if (rows == 0) {
            run(
                    connection,
                    "insert into idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner, due_at)"
                            + " values (?, " + consumer.number() + ", 1, 0, 0, 'FAILED_RETRYABLE', 'INBOX',"
                            + " timestamp with time zone '2020-01-01 00:00:00+00')",
                    arrival);
        }
    }

    static void delete(Connection connection, long arrival) {
        run(connection, "delete from idembox_entry where arrival = ?", arrival);
        run(connection, "delete from idembox_ledger where arrival = ?", arrival);
    }

    private static int run(Connection connection, String sql, long arrival) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, arrival);
            return statement.executeUpdate();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }
}
