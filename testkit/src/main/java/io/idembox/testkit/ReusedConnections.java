// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the connections of a PostgreSQL DataSource that would open a new one on every call: hundreds of windows spend
 * most of their time connecting otherwise. Who gets a used one gets it as if it were new. Thread-safe.
 */
final class ReusedConnections implements DataSource, AutoCloseable {

    private final DataSource real;
    private final Queue<Connection> idle = new ConcurrentLinkedQueue<>();

    ReusedConnections(DataSource real) {
        this.real = real;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection used = idle.poll();
        return lend(used == null ? real.getConnection() : used);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return real.getConnection(username, password);
    }

    private Connection lend(Connection connection) {
        AtomicBoolean returned = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                ReusedConnections.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                    switch (method.getName()) {
                        case "close" -> {
                            if (!returned.getAndSet(true)) {
                                takeBack(connection);
                            }
                            return null;
                        }
                        case "isClosed" -> {
                            return returned.get() || connection.isClosed();
                        }
                        case "equals" -> {
                            return args != null && self == args[0];
                        }
                        case "hashCode" -> {
                            return System.identityHashCode(self);
                        }
                        default -> {
                            if (returned.get()) {
                                throw new SQLException("This connection has been closed.", "08003");
                            }
                            return call(connection, method, args);
                        }
                    }
                });
    }

    private static @Nullable Object call(Connection connection, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(connection, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }

    /** Rolls back what is open and forgets the session's settings; a connection that cannot do that is not kept. */
    private void takeBack(Connection connection) throws SQLException {
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

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return real.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        real.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        real.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return real.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return real.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : real.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || real.isWrapperFor(type);
    }
}
