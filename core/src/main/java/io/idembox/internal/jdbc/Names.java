// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Numbers for the names of consumers and sources. A name gets its number in a transaction of its own, which is committed
 * before the number is used or remembered: a number that was rolled back would name nothing. Thread-safe.
 */
final class Names {

    private static final int REMEMBERED = 100_000;

    private final DataSource dataSource;
    private final Sql sql;
    private final Map<String, Integer> sources = new ConcurrentHashMap<>();

    Names(DataSource dataSource, Sql sql) {
        this.dataSource = dataSource;
        this.sql = sql;
    }

    /** A consumer's number and the name it was first known by. */
    record KnownConsumer(int number, String firstName) {}

    KnownConsumer consumer(String name) {
        return inOwnTransaction(connection -> {
            Optional<KnownConsumer> known = findConsumer(connection, name);
            if (known.isEmpty()) {
                insert(connection, NameStatement.INSERT_CONSUMER, name, 0);
                known = findConsumer(connection, name);
            }
            return known.orElseThrow();
        });
    }

    /** The consumer of that name; empty when nobody has seen it. */
    Optional<KnownConsumer> find(String name) {
        return inOwnTransaction(connection -> findConsumer(connection, name));
    }

    /** Makes {@code name} a later name of the consumer that used to be called {@code oldName}. */
    KnownConsumer renamed(String name, String oldName) {
        KnownConsumer old = consumer(oldName);
        return inOwnTransaction(connection -> {
            Optional<KnownConsumer> known = findConsumer(connection, name);
            if (known.isEmpty()) {
                insert(connection, NameStatement.INSERT_ALIAS, name, old.number());
                known = findConsumer(connection, name);
            }
            if (known.orElseThrow().number() != old.number()) {
                throw new InboxConfigurationException(
                        "Consumer " + name + " cannot become the new name of " + oldName
                                + ": it exists already and has handled messages of its own. Choose a name that was never used.");
            }
            return old;
        });
    }

    /** Makes all these sources known. */
    void learn(Collection<String> names) {
        for (String name : names) {
            if (!sources.containsKey(name)) {
                if (sources.size() >= REMEMBERED) {
                    sources.clear();
                }
                sources.put(name, inOwnTransaction(connection -> sourceNumber(connection, name)));
            }
        }
    }

    int source(String name) {
        Integer number = sources.get(name);
        if (number == null) {
            learn(java.util.List.of(name));
            number = sources.get(name);
        }
        if (number == null) {
            throw new IllegalStateException("Source without a number");
        }
        return number;
    }

    private int sourceNumber(Connection connection, String name) throws SQLException {
        Optional<Integer> known = findSource(connection, name);
        if (known.isEmpty()) {
            insert(connection, NameStatement.INSERT_SOURCE, name, 0);
            known = findSource(connection, name);
        }
        return known.orElseThrow();
    }

    private Optional<Integer> findSource(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, NameStatement.FIND_SOURCE)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(rows.getInt(1)) : Optional.empty();
            }
        }
    }

    private Optional<KnownConsumer> findConsumer(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, NameStatement.FIND_CONSUMER)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(new KnownConsumer(rows.getInt(1), rows.getString(2)))
                        : Optional.empty();
            }
        }
    }

    private void insert(Connection connection, Statement insert, String name, int number) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, insert)) {
            statement.setString(1, name);
            if (insert == NameStatement.INSERT_ALIAS) {
                statement.setInt(2, number);
            }
            statement.executeUpdate();
        } catch (SQLException error) {
            // Race: another node was faster. Its number counts, and the caller reads it.
            if (!Marks.isDuplicate(error)) {
                throw error;
            }
        }
    }

    private <T> T inOwnTransaction(SqlFunction<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            return work.apply(connection);
        } catch (SQLException error) {
            throw SqlErrors.unavailable("look up a name", error);
        }
    }

    private interface SqlFunction<T> {
        T apply(Connection connection) throws SQLException;
    }
}
