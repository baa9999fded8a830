// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Breaks real database sessions the way networks, servers and kernels do. When a method returns, the server has noticed
 * too, so the next step does not depend on how fast the server notices. Thread-safe.
 */
final class Sessions {

    private static final Logger log = LoggerFactory.getLogger(Sessions.class);

    private static final int NO_PID = 0;
    private static final Duration SERVER_NOTICES_WITHIN = Duration.ofSeconds(10);
    private static final Duration BUSY_AFTER = Duration.ofMillis(50);
    private static final Duration POLL = Duration.ofMillis(1);

    private final DataSource real;

    Sessions(DataSource real) {
        this.real = real;
    }

    /** The pid of the server process behind a connection; 0 when there is none. */
    static int pidOf(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class)
                ? connection.unwrap(PGConnection.class).getBackendPID()
                : NO_PID;
    }

    /** Cuts the connection: its transaction is rolled back, and a pool below it removes it. */
    void end(Connection connection, int pid) {
        try {
            Connection physical = physical(connection);
            if (pid == NO_PID) {
                physical.close(); // H2 rolls back here and does not implement abort
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
            log.debug("The pool refused to evict a connection", refused);
            return false;
        }
    }

    private void awaitEnd(int pid) {
        try (Connection other = real.getConnection()) {
            long begin = System.nanoTime();
            boolean told = false;
            while (isListed(other, pid)) {
                long waited = System.nanoTime() - begin;
                if (waited > SERVER_NOTICES_WITHIN.toNanos()) {
                    throw new SQLException("Server process " + pid + " goes on");
                }
                if (waited > BUSY_AFTER.toNanos() && !told) {
                    told = true; // the backend is busy or waits for a lock, so it does not check its connection
                    ask(other, "select pg_terminate_backend(?)", pid);
                }
                LockSupport.parkNanos(POLL.toNanos());
            }
        } catch (SQLException error) {
            throw new IllegalStateException(
                    "The connection was cut, but could not check whether the server noticed. Does the DataSource have room"
                            + " for one more connection?",
                    error);
        }
    }

    /**
     * Whether the session is in pg_stat_activity, which it leaves after its transaction is rolled back and its locks
     * are released.
     */
    private static boolean isListed(Connection other, int pid) throws SQLException {
        return ask(other, "select 1 from pg_stat_activity where pid = ?", pid);
    }

    private static boolean ask(Connection other, String question, int pid) throws SQLException {
        try (PreparedStatement statement = other.prepareStatement(question)) {
            statement.setInt(1, pid);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        } finally {
            if (!other.getAutoCommit()) {
                other.rollback(); // the view is a snapshot per transaction
            }
        }
    }

    /** Makes the database report an error on this connection; always throws. */
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
