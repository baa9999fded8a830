// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.jdbc.DelegatingDataSource;
import io.idembox.testkit.jdbc.JdbcProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * Keeps the connections of a PostgreSQL DataSource that opens a new one on every call; without it hundreds of windows
 * would spend most of their time connecting. A reused connection is reset to the state of a new one. Thread-safe.
 */
final class ReusedConnections extends DelegatingDataSource implements AutoCloseable {

    private final Queue<Connection> idle = new ConcurrentLinkedQueue<>();

    ReusedConnections(DataSource real) {
        super(real);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection used = idle.poll();
        return wrap(used == null ? real().getConnection() : used);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return real().getConnection(username, password);
    }

    private Connection wrap(Connection connection) {
        AtomicBoolean returned = new AtomicBoolean();
        return JdbcProxy.of(Connection.class, connection, (self, method, args) -> {
            switch (method.getName()) {
                case "close" -> {
                    if (!returned.getAndSet(true)) {
                        release(connection);
                    }
                    return null;
                }
                case "isClosed" -> {
                    return returned.get() || connection.isClosed();
                }
                default -> {
                    if (returned.get()) {
                        throw new SQLException("This connection has been closed.", "08003");
                    }
                    return JdbcProxy.call(connection, method, args);
                }
            }
        });
    }

    /**
     * Rolls back an open transaction and resets the session's settings. A connection that fails to do so is not kept.
     */
    private void release(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            return;
        }
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("discard all");
            }
            idle.add(connection);
        } catch (SQLException broken) {
            connection.close();
        }
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
            connection.close();
        }
    }
}
