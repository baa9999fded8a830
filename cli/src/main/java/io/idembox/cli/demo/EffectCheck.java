// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.MessageId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import javax.sql.DataSource;

/**
 * The tables of effects and their check: compares every order with the orders sent, in SQL, in the database of each
 * service. An order that billing parked must have no receipt. Thread-safe.
 */
final class EffectCheck {

    /**
     * The sequence shows the order in which effects were written; effects of one account are never written
     * concurrently.
     */
    private static final String EFFECTS = """
            create table %s (
                seq      bigint generated always as identity,
                order_id varchar(50) not null,
                account  varchar(50) not null,
                number   int         not null,
                cents    int         not null
            )
            """;

    /** Orders that were parked before they reached this database are not expected in it. */
    private static final String SENT = """
            create table sent (
                order_id  varchar(50) not null primary key,
                poison    boolean     not null,
                copies    int         not null,
                set_aside boolean     not null
            )
            """;

    private static final String PARKED = """
            select distinct message_id
              from idembox_inbox
             where consumer = ? and status in ('PARKED', 'FAILED_TERMINAL')
            """;

    private static final String CHECK = """
            with effect as (
                select order_id, count(*) as n from %1$s group by order_id
            ), parked as (
                select distinct message_id as order_id
                  from idembox_inbox
                 where consumer = ? and status in ('PARKED', 'FAILED_TERMINAL')
                 union
                select order_id from sent where set_aside
            ), compared as (
                select s.order_id,
                       coalesce(e.n, 0)                           as n,
                       case when s.poison or s.set_aside then 0 else 1 end as allowed,
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
             where not s.set_aside
               and not exists (select 1 from %s e where e.order_id = s.order_id)
               and not exists (select 1 from idembox_inbox i
                                where i.consumer = ? and i.message_id = s.order_id
                                  and i.status in ('PARKED', 'FAILED_TERMINAL'))
             order by order_id
             limit ?
            """;

    /** The receipt that billing sent for an order. */
    private static final String RECEIPT = """
            select receipt.source, receipt.message_id
              from idembox_inbox charged
              join idembox_body body on body.cause = charged.arrival
              join idembox_inbox receipt on receipt.arrival = body.arrival
             where charged.consumer = ? and charged.message_id = ?
            """;

    private static final int BATCH = 1_000;

    private final DataSource orders;
    private final DataSource receipts;

    /** The databases of the two services. */
    EffectCheck(DataSource orders, DataSource receipts) {
        this.orders = orders;
        this.receipts = receipts;
    }

    private DataSource of(Role role) {
        return role == Role.RECEIPTS ? receipts : orders;
    }

    void createTables() throws SQLException {
        execute(orders, SENT);
        execute(receipts, SENT);
        for (Role role : Role.values()) {
            execute(of(role), EFFECTS.formatted(role.table()));
        }
    }

    private static void execute(DataSource where, String text) throws SQLException {
        try (Connection connection = where.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    /**
     * Writes the sent orders to both databases, after all consumers have stopped.
     *
     * @param copies how often an order is in the topic; orders that are not in it are left out
     */
    void writeSent(List<Order> all, ToIntFunction<Order> copies) throws SQLException {
        write(orders, all, copies, Set.of());
        write(receipts, all, copies, Set.copyOf(texts(orders, PARKED, Role.BILLING.consumer())));
    }

    private static void write(DataSource where, List<Order> all, ToIntFunction<Order> copies, Set<String> setAside)
            throws SQLException {
        try (Connection connection = where.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "insert into sent (order_id, poison, copies, set_aside) values (?, ?, ?, ?)")) {
            connection.setAutoCommit(false);
            int waiting = 0;
            for (Order order : all) {
                int sent = copies.applyAsInt(order);
                if (sent > 0) {
                    insert.setString(1, order.id());
                    insert.setBoolean(2, order.plannedOutcome() == PlannedOutcome.POISON);
                    insert.setInt(3, sent);
                    insert.setBoolean(4, setAside.contains(order.id()));
                    insert.addBatch();
                    if (++waiting % BATCH == 0) {
                        insert.executeBatch();
                    }
                }
            }
            insert.executeBatch();
            // Crash here: the demo ends without a result.
            connection.commit();
        }
    }

    /**
     * Compares the effects of a consumer with the sent orders. The naive consumer parks nothing, so a poison order
     * needs no effect there. A receipt has no reason to be parked: a parked one counts as lost, because its id is not
     * that of its order.
     */
    ConsumerBalance check(Role role) throws SQLException {
        try (Connection connection = of(role).getConnection();
                PreparedStatement query = connection.prepareStatement(CHECK.formatted(role.table()))) {
            query.setString(1, role.consumer());
            query.setBoolean(2, !role.isIdembox());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new ConsumerBalance(
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
        return texts(of(role), LOST.formatted(role.table()), role.consumer(), limit);
    }

    /** The id of the receipt that billing sent for an order; empty when it sent none. */
    Optional<MessageId> receiptOf(String order) throws SQLException {
        try (Connection connection = orders.getConnection();
                PreparedStatement query = connection.prepareStatement(RECEIPT)) {
            query.setString(1, Role.BILLING.consumer());
            query.setString(2, order);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(new MessageId(row.getString(1), row.getString(2))) : Optional.empty();
            }
        }
    }

    /** The number of different orders parked by billing, shipping or both. */
    long parked() throws SQLException {
        Set<String> parked = new HashSet<>(texts(orders, PARKED, Role.BILLING.consumer()));
        parked.addAll(texts(orders, PARKED, Role.SHIPPING.consumer()));
        return parked.size();
    }

    private static List<String> texts(DataSource where, String text, Object... values) throws SQLException {
        try (Connection connection = where.getConnection();
                PreparedStatement query = connection.prepareStatement(text)) {
            for (int nth = 0; nth < values.length; nth++) {
                query.setObject(nth + 1, values[nth]);
            }
            List<String> texts = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
            return texts;
        }
    }

    /** The number of orders that have an effect now; cheap enough to be read every second. */
    long ordersWithEffect(Role role) throws SQLException {
        try (Connection connection = of(role).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(distinct order_id) from " + role.table())) {
            row.next();
            return row.getLong(1);
        }
    }
}
