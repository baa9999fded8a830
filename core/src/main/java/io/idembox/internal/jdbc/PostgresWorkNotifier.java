// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import io.idembox.SchemaMismatchException;
import io.idembox.internal.engine.WorkNotifier;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * NOTIFY and LISTEN, on sessions of their own: outside of every other transaction, because a NOTIFY makes the commits of a
 * database wait for each other. The driver's own methods are called by name, so that core needs no driver. Thread-safe.
 */
final class PostgresWorkNotifier implements WorkNotifier {

    private static final Logger log = LoggerFactory.getLogger(PostgresWorkNotifier.class);

    private static final String TELL = "select pg_notify(?, n) from unnest(cast(? as text[])) as n";
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final int ANSWERS_WITHIN_SECONDS = 5;

    private final DataSource sessions;
    private final String channel;
    private final String self = UUID.randomUUID().toString();
    private final ReentrantLock turn = new ReentrantLock();
    private volatile @Nullable Connection telling;
    private volatile boolean closed;

    private PostgresWorkNotifier(DataSource sessions, TableNames tables) {
        this.sessions = sessions;
        this.channel = channelOf(tables);
    }

    /** Refuses sessions that cannot listen, or that lead to other tables. */
    static PostgresWorkNotifier on(DataSource sessions, TableNames tables) {
        try (Connection connection = sessions.getConnection()) {
            if (Database.of(connection) != Database.POSTGRESQL) {
                throw new InboxConfigurationException(
                        "The DataSource given to listenOn(...) is not PostgreSQL. Give it one of the database of the inbox.");
            }
            Driver.of(connection);
        } catch (SQLException error) {
            throw SqlErrors.unavailable("open the session that listens", error);
        }
        try {
            new Schema(Database.POSTGRESQL, tables).validate(sessions);
        } catch (SchemaMismatchException elsewhere) {
            throw new InboxConfigurationException(
                    "The DataSource given to listenOn(...) does not see the tables of the inbox, so it leads to another"
                            + " database. Notifications do not leave their database: give it the same one, without a pooler.",
                    elsewhere);
        }
        return new PostgresWorkNotifier(sessions, tables);
    }

    /** Inboxes with other tables have other channels. */
    private static String channelOf(TableNames tables) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(tables.schema().getBytes(StandardCharsets.UTF_8));
            sha.update((byte) 0);
            sha.update(tables.prefix().getBytes(StandardCharsets.UTF_8));
            return "idembox_" + HexFormat.of().formatHex(sha.digest(), 0, 8);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    @Override
    public void tell(Collection<Integer> consumers) {
        String[] notices =
                consumers.stream().map(consumer -> consumer + " " + self).toArray(String[]::new);
        turn.lock();
        try {
            Connection connection = telling == null ? open() : telling;
            telling = connection;
            // Race: who closed while the session was being opened had nothing to cut.
            if (closed) {
                hangUp();
                return;
            }
            try (PreparedStatement statement = connection.prepareStatement(TELL)) {
                statement.setString(1, channel);
                statement.setArray(2, connection.createArrayOf("text", notices));
                statement.execute();
            }
        } catch (SQLException error) {
            hangUp();
            throw SqlErrors.unavailable("tell other nodes", error);
        } finally {
            turn.unlock();
        }
    }

    private Connection open() throws SQLException {
        Connection connection = sessions.getConnection();
        try {
            connection.setAutoCommit(true);
            return connection;
        } catch (SQLException unusable) {
            closeQuietly(connection);
            throw unusable;
        }
    }

    private void hangUp() {
        Connection connection = telling;
        if (connection != null) {
            closeQuietly(connection);
            telling = null;
        }
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException gone) {
            log.debug("A session for notices could not be closed: {}", gone.getSQLState());
        }
    }

    @Override
    public Line listen() {
        try {
            Connection connection = open();
            try (PreparedStatement statement = connection.prepareStatement("listen " + channel)) {
                statement.execute();
                return new Listening(connection, Driver.of(connection), self);
            } catch (SQLException | RuntimeException failed) {
                closeQuietly(connection);
                throw failed;
            }
        } catch (SQLException error) {
            throw SqlErrors.unavailable("listen for other nodes", error);
        }
    }

    /** Waits for nobody: a session that does not answer is cut. */
    @Override
    public void close() {
        closed = true;
        if (turn.tryLock()) {
            try {
                hangUp();
            } finally {
                turn.unlock();
            }
        } else {
            cut(telling);
        }
    }

    private static void cut(@Nullable Connection connection) {
        try {
            if (connection != null) {
                connection.abort(Runnable::run);
            }
        } catch (SQLException gone) {
            log.debug("A session for notices could not be cut: {}", gone.getSQLState());
        }
    }

    private static final class Listening implements Line {

        private final Connection connection;
        private final Driver driver;
        private final String self;
        private long lastSign = System.nanoTime();

        Listening(Connection connection, Driver driver, String self) {
            this.connection = connection;
            this.driver = driver;
            this.self = self;
        }

        @Override
        public Set<Integer> await(Duration atMost) {
            try {
                Set<Integer> consumers = new HashSet<>();
                for (String notice : driver.notices(connection, (int) atMost.toMillis())) {
                    lastSign = System.nanoTime();
                    String[] parts = notice.split(" ", 2);
                    if (parts.length == 2 && !parts[1].equals(self) && parts[0].matches("[0-9]{1,9}")) {
                        consumers.add(Integer.valueOf(parts[0]));
                    }
                }
                checkAlive();
                return consumers;
            } catch (SQLException error) {
                throw SqlErrors.unavailable("keep the session that listens", error);
            }
        }

        /** A session that says nothing may be one that is gone without a word. */
        private void checkAlive() throws SQLException {
            if (System.nanoTime() - lastSign > SILENCE.toNanos()) {
                if (!connection.isValid(ANSWERS_WITHIN_SECONDS)) {
                    throw new SQLException("The session that listens does not answer", "08006");
                }
                lastSign = System.nanoTime();
            }
        }

        @Override
        public void close() {
            closeQuietly(connection);
        }
    }

    /** What the driver can do beyond JDBC. */
    private record Driver(Class<?> type, Method await, Method text) {

        static Driver of(Connection connection) throws SQLException {
            try {
                ClassLoader loader = connection.getClass().getClassLoader();
                Class<?> type = Class.forName("org.postgresql.PGConnection", true, loader);
                Class<?> notification = Class.forName("org.postgresql.PGNotification", true, loader);
                connection.unwrap(type);
                return new Driver(
                        type, type.getMethod("getNotifications", int.class), notification.getMethod("getParameter"));
            } catch (ReflectiveOperationException | LinkageError unknownDriver) {
                throw new InboxConfigurationException(
                        "The DataSource given to listenOn(...) has connections of a driver that cannot wait for notifications."
                                + " Use the PostgreSQL JDBC driver (pgjdbc), or leave listenOn(...) out.",
                        unknownDriver);
            }
        }

        String[] notices(Connection connection, int millis) throws SQLException {
            try {
                Object[] heard = (Object[]) await.invoke(connection.unwrap(type), millis);
                String[] notices = new String[heard == null ? 0 : heard.length];
                for (int i = 0; i < notices.length; i++) {
                    notices[i] = String.valueOf(text.invoke(heard[i]));
                }
                return notices;
            } catch (InvocationTargetException thrown) {
                if (thrown.getCause() instanceof SQLException error) {
                    throw error;
                }
                throw new IllegalStateException(thrown.getCause());
            } catch (IllegalAccessException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
