// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** An in-memory database with messages, and the command line on it. */
final class TestInbox implements AutoCloseable {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID();
    private final Connection open;

    TestInbox() {
        try {
            // The in-memory database exists until its last connection is closed.
            open = DriverManager.getConnection(url);
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    DataSource dataSource() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url);
        return dataSource;
    }

    TestInbox withTables() {
        Inbox.on(dataSource()).createSchema().start().close();
        return this;
    }

    Cli cli() {
        return Cli.on(url);
    }

    String url() {
        return url;
    }

    static Message order(String id) {
        return Message.of(id, "OrderPlaced", "{\"secret\":\"payload\"}").from("/orders");
    }

    /** Stores messages that their handler parks. */
    TestInbox parked(String consumer, String... ids) {
        try (Inbox inbox = Inbox.on(dataSource()).createSchema().start()) {
            List<Message> all = List.of(ids).stream().map(TestInbox::order).toList();
            inbox.handleAll(consumer, all, ctx -> {
                throw HandlerException.park("the bank is closed");
            });
        }
        return this;
    }

    /** Stores many messages that are not handled yet. */
    TestInbox stored(String consumer, int number) {
        try (Inbox inbox = Inbox.on(dataSource()).createSchema().start()) {
            List<Message> all = IntStream.range(0, number)
                    .mapToObj(each -> order(Integer.toString(each)))
                    .toList();
            for (int from = 0; from < number; from += 1_000) {
                inbox.store(consumer, all.subList(from, Math.min(from + 1_000, number)));
            }
        }
        return this;
    }

    @Override
    public void close() {
        try {
            open.close();
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }
}
