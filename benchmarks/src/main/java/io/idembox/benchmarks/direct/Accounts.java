// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Workload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The business of the benchmark: a message adds one to the balance of its account. */
final class Accounts {

    /** Grows by one for every effect. */
    static final String EFFECTS = "select sum(balance) from account";

    static final String DEPOSIT = "update account set balance = balance + 1 where id = ?";

    private Accounts() {}

    static void create(Arena arena) {
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

    static int of(Message message) {
        return Integer.parseInt(message.key().orElseThrow());
    }

    static void deposit(Connection connection, Message message) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DEPOSIT)) {
            statement.setInt(1, of(message));
            statement.executeUpdate();
        }
    }
}
