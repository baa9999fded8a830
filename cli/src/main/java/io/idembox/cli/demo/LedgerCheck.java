// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import javax.sql.DataSource;

/** The tables of effects, and what is found in them: every order is compared with what was sent, in SQL. Thread-safe. */
final class LedgerCheck {

    /** The number tells in which order effects were written; those of an account never at the same time. */
    private static final String EFFECTS = """
            create table %s (
                seq      bigint generated always as identity,
                order_id varchar(50) not null,
                account  varchar(50) not null,
                number   int         not null,
                cents    int         not null
            )
            """;

    private static final String SENT = """
            create table sent (
                order_id varchar(50) not null primary key,
                poison   boolean     not null,
                copies   int         not null
            )
            """;

    private static final String CHECK = """
            with effect as (
                select order_id, count(*) as n from %1$s group by order_id
            ), parked as (
                select distinct message_id as order_id
                  from idembox_inbox
                 where consumer = ? and status in ('PARKED', 'FAILED_TERMINAL')
            ), compared as (
                select s.order_id,
                       coalesce(e.n, 0)                         as n,
                       case when s.poison then 0 else 1 end     as allowed,
                       s.copies,
                       p.order_id is not null or (s.poison and ?) as excused
                  from sent s
                  left join effect e on e.order_id = s.order_id
                  left join parked p on p.order_id = s.order_id
            ), ordered as (
                select number,
                       max(number) over (partition by account order by seq
                                         rows between unbounded preceding and 1 preceding) as before
                  from %1$s
            )
            select (select count(*) from sent),
                   (select count(*) from %1$s),
                   (select count(*) from compared where n = 0 and not excused),
                   (select coalesce(sum(n - allowed), 0) from compared where n > allowed),
                   (select coalesce(sum(least(n, copies) - allowed), 0) from compared
                     where least(n, copies) > allowed),
                   (select count(*) from ordered where number < before),
                   (select count(*) from parked)
            """;

    private static final String LOST = """
            select order_id
              from sent s
             where not exists (select 1 from %s e where e.order_id = s.order_id)
               and not exists (select 1 from idembox_inbox i
                                where i.consumer = ? and i.message_id = s.order_id
                                  and i.status in ('PARKED', 'FAILED_TERMINAL'))
             order by order_id
             limit ?
            """;

    private static final int BATCH = 1_000;

    private final DataSource dataSource;

    LedgerCheck(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void createTables() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(SENT);
            for (Role role : Role.values()) {
                statement.execute(EFFECTS.formatted(role.table()));
            }
        }
    }

    /** @param copies how often an order is in the topic; those that are not there at all are left out */
    void writeSent(List<Order> orders, ToIntFunction<Order> copies) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("insert into sent (order_id, poison, copies) values (?, ?, ?)")) {
            connection.setAutoCommit(false);
            int waiting = 0;
            for (Order order : orders) {
                int sent = copies.applyAsInt(order);
                if (sent > 0) {
                    insert.setString(1, order.id());
                    insert.setBoolean(2, order.fate() == Fate.POISON);
                    insert.setInt(3, sent);
                    insert.addBatch();
                    if (++waiting % BATCH == 0) {
                        insert.executeBatch();
                    }
                }
            }
            insert.executeBatch();
            // Crash here: the demo is over without a result.
            connection.commit();
        }
    }

    /** The naive consumer parks nothing: that it has no effect of poison is all that can be asked. */
    Ledger check(Role role) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement query = connection.prepareStatement(CHECK.formatted(role.table()))) {
            query.setString(1, role.consumer());
            query.setBoolean(2, !role.isIdembox());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Ledger(
                        role,
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7));
            }
        }
    }

    /** Some of the orders that have no effect and are not parked. */
    List<String> lost(Role role, int limit) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement query = connection.prepareStatement(LOST.formatted(role.table()))) {
            query.setString(1, role.consumer());
            query.setInt(2, limit);
            List<String> lost = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    lost.add(rows.getString(1));
                }
            }
            return lost;
        }
    }

    /** How many different orders are set aside, by one consumer or by both. */
    long parked() throws SQLException {
        return number(
                "select count(distinct message_id) from idembox_inbox where status in ('PARKED', 'FAILED_TERMINAL')");
    }

    /** How many orders have an effect by now; cheap enough to be asked every second. */
    long ordersWithEffect(Role role) throws SQLException {
        return number("select count(distinct order_id) from " + role.table());
    }

    private long number(String query) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
