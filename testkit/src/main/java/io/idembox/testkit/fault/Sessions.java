// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does to real database sessions what networks, servers and kernels do to them. When a method returns, the server has
 * noticed too: what comes next does not depend on how fast it notices. Thread-safe.
 */
final class Sessions {

    private static final Logger log = LoggerFactory.getLogger(Sessions.class);

    private static final int NO_PID = 0;
    private static final int SERVER_NOTICES_WITHIN_MILLIS = 10_000;

    private final DataSource real;

    Sessions(DataSource real) {
        this.real = real;
    }

    /** The server process behind a connection, 0 where there is none to know. */
    static int pidOf(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class)
                ? connection.unwrap(PGConnection.class).getBackendPID()
                : NO_PID;
    }

    /** Cuts the connection: its transaction is rolled back, a pool below it forgets it. */
    void end(Connection connection, int pid) {
        try {
            Connection physical = physical(connection);
            if (pid == NO_PID) {
                physical.close(); // H2 rolls back here and does not know abort
            } else {
                physical.abort(Runnable::run);
            }
        } catch (SQLException dead) {
            log.debug("A connection was dead already: {}", dead.getSQLState());
        }
        if (!isEvicted(connection)) {
            try {
                connection.close();
            } catch (SQLException expected) {
                log.debug("A pool noticed that a connection is dead: {}", expected.getSQLState());
            }
        }
        if (pid != NO_PID) {
            awaitEnd(pid);
        }
    }

    private static Connection physical(Connection connection) throws SQLException {
        Connection inner = connection;
        for (int depth = 0; depth < 5; depth++) {
            Connection next = inner.unwrap(Connection.class);
            if (next == inner) {
                break;
            }
            inner = next;
        }
        return inner;
    }

    /** HikariCP recognises dead PostgreSQL connections by their SQLState, but not those of H2. */
    private boolean isEvicted(Connection connection) {
        try {
            real.getClass().getMethod("evictConnection", Connection.class).invoke(real, connection);
            return true;
        } catch (NoSuchMethodException noPool) {
            return false; // not a pool, or one that finds out by itself
        } catch (IllegalAccessException | InvocationTargetException refused) {
            log.debug("The pool did not want to forget a connection", refused);
            return false;
        }
    }

    private void awaitEnd(int pid) {
        try (Connection other = real.getConnection();
                PreparedStatement statement = other.prepareStatement("select pg_terminate_backend(?, ?)")) {
            statement.setInt(1, pid);
            statement.setLong(2, SERVER_NOTICES_WITHIN_MILLIS);
            statement.execute();
            if (!other.getAutoCommit()) {
                other.rollback();
            }
        } catch (SQLException error) {
            throw new IllegalStateException(
                    "The connection was cut, but nobody knows whether the server noticed: the database did not answer"
                            + " a second connection. Give the DataSource room for one more.",
                    error);
        }
    }

    /** The database reports an error on this connection; always throws. */
    SQLException raise(Connection connection, int pid, String sqlState) throws SQLException {
        SQLException error;
        if (pid == NO_PID) {
            if (sqlState.startsWith("40") && !connection.getAutoCommit()) {
                connection.rollback();
            }
            error = injected(sqlState);
        } else {
            error = raiseOnServer(connection, sqlState);
        }
        if (sqlState.equals("57P01")) {
            end(connection, pid);
            return injected(sqlState);
        }
        return error;
    }

    private static SQLException raiseOnServer(Connection connection, String sqlState) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("do $$ begin raise exception 'injected' using errcode = '" + sqlState + "'; end $$");
        } catch (SQLException raised) {
            return raised;
        }
        throw new IllegalStateException("The server did not raise " + sqlState);
    }

    static SQLException injected(String sqlState) {
        return new SQLException("injected", sqlState);
    }
}
