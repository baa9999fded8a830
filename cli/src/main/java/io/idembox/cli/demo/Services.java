// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.admin.InboxAdmin;
import javax.sql.DataSource;

/** Both services seen from outside: two databases, and the operator API of the inbox in each. Thread-safe. */
final class Services implements AutoCloseable {

    private final HikariDataSource orders;
    private final HikariDataSource receipts;
    private final Inbox ordersInbox;
    private final Inbox receiptsInbox;

    private Services(HikariDataSource orders, HikariDataSource receipts) {
        this.orders = orders;
        this.receipts = receipts;
        this.ordersInbox = Inbox.on(orders).createSchema().start();
        this.receiptsInbox = Inbox.on(receipts).createSchema().start();
    }

    /** Creates the tables of the inboxes. */
    static Services open(DemoAddresses addresses) {
        return new Services(addresses.pool(Role.BILLING, 4), addresses.pool(Role.RECEIPTS, 4));
    }

    /** The database of the consumers of orders. */
    DataSource orders() {
        return orders;
    }

    DataSource receipts() {
        return receipts;
    }

    InboxAdmin admin(Role role) {
        return (role == Role.RECEIPTS ? receiptsInbox : ordersInbox).admin();
    }

    @Override
    public void close() {
        receiptsInbox.close();
        ordersInbox.close();
        receipts.close();
        orders.close();
    }
}
