// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.accounts;

import io.idembox.BatchHandler;
import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Workload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The business of the benchmark: a message adds one to the balance of its account. */
public final class Accounts {

    /** Grows by one for every effect. */
    public static final String EFFECTS = "select sum(balance) from account";

    private static final String DEPOSIT = "update account set balance = balance + 1 where id = ?";

    private static final String DEPOSIT_ALL = """
            update account a
               set balance = a.balance + d.deposits
              from unnest(?, ?) as d(id, deposits)
             where a.id = d.id
            """;

    private Accounts() {}

    public static void create(Arena arena) {
        arena.execute(
                """
                create table account (
                    id      int    not null primary key,
                    balance bigint not null
                ) with (fillfactor = 70)
                """,
                "insert into account (id, balance) select n, 0 from generate_series(0, %d) n"
                        .formatted(Workload.ACCOUNTS - 1));
    }

    private static int of(Message message) {
        return Integer.parseInt(message.key().orElseThrow());
    }

    /** At once. */
    public static void deposit(Connection connection, Message message) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DEPOSIT)) {
            statement.setInt(1, of(message));
            statement.executeUpdate();
        }
    }

    /** Put off to the end of the batch. */
    public static void depositLater(HandlerContext context) {
        context.later(DEPOSIT, of(context.message())).expect(1);
    }

    /** An update joined with several rows for one account would take only one of them: they are added up first. */
    public static void depositAll(List<BatchHandler.Item<Message>> items, Connection connection) throws SQLException {
        Map<Integer, Integer> deposits = new TreeMap<>();
        items.forEach(item -> deposits.merge(of(item.payload()), 1, Integer::sum));
        try (PreparedStatement statement = connection.prepareStatement(DEPOSIT_ALL)) {
            statement.setArray(
                    1, connection.createArrayOf("int4", deposits.keySet().toArray()));
            statement.setArray(
                    2, connection.createArrayOf("int4", deposits.values().toArray()));
            statement.executeUpdate();
        }
    }
}
