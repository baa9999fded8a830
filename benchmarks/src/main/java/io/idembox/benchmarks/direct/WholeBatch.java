// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.BatchHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.policy.Recording;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The handler gets the batch as a whole and changes every account once, with one statement. */
final class WholeBatch extends InboxStrategy {

    private static final String DEPOSIT_ALL = """
            update account a
               set balance = a.balance + d.deposits
              from unnest(?, ?) as d(id, deposits)
             where a.id = d.id
            """;

    private final Subscription subscription;

    WholeBatch(Arena arena, int batchSize, Recording recording) {
        super(arena, "batch handler", batchSize, recording);
        this.subscription = inbox().subscribe(name()).onBatch(Workload.TYPE, Message.class, WholeBatch::depositAll);
    }

    @Override
    List<Receipt> handle(List<Message> batch) {
        return subscription.handleAll(batch);
    }

    /** An update joined with several rows for one account would take only one of them: they are added up first. */
    private static void depositAll(List<BatchHandler.Item<Message>> items, Connection connection) throws SQLException {
        Map<Integer, Integer> deposits = new TreeMap<>();
        items.forEach(item -> deposits.merge(Accounts.of(item.payload()), 1, Integer::sum));
        try (PreparedStatement statement = connection.prepareStatement(DEPOSIT_ALL)) {
            statement.setArray(
                    1, connection.createArrayOf("int4", deposits.keySet().toArray()));
            statement.setArray(
                    2, connection.createArrayOf("int4", deposits.values().toArray()));
            statement.executeUpdate();
        }
    }
}
