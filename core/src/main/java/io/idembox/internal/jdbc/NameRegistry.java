// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.TransactionFailed;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers for the names of consumers and sources. A name gets its number in a transaction of its own, which is committed
 * before the number is used or remembered: a number that was rolled back would name nothing.
 *
 * <p>The database may go back in time while a process runs: a failover to a replica that was behind, or a restored backup.
 * So a number is derived from its name (the same name gets the same number again, and no sequence can go back and give it to
 * another name), and every transaction that records something checks that the database still has the rows of the numbers
 * it uses ({@link #use}). Inside a transaction no name is looked up: that would take a second connection. Thread-safe.
 */
final class NameRegistry {

    private static final Logger log = LoggerFactory.getLogger(NameRegistry.class);

    /** Two names with the same 31 bits: the second one takes the next number of its own series. */
    private static final int PROBES = 16;

    private static final String MISSING = "(unknown source ";

    /** At most so many missed names are kept; others are looked up when they are used again. */
    private static final int MISSED = 10_000;

    private final Connections connections;
    private final Sql sql;
    private final NameCache sources = new NameCache(50_000);

    /** Sources that a transaction needed and did not find here. */
    private final Set<String> missed = ConcurrentHashMap.newKeySet();

    /** Consumers of this process that a transaction did not find in the database. */
    private final Set<Running> doubtful = ConcurrentHashMap.newKeySet();

    NameRegistry(Connections connections, Sql sql) {
        this.connections = connections;
        this.sql = sql;
    }

    private record Running(String name, String firstName, int number) {}

    /** The numbers that a transaction records under, with the names they have to belong to; each source once. */
    record Used(RegisteredConsumer consumer, List<String> sources, List<Integer> numbers) {

        /** How many rows of consumers and sources there have to be. */
        int rows() {
            return 1 + sources.size();
        }
    }

    /** A consumer's number and the name it was first known by. */
    record KnownConsumer(int number, String firstName) {}

    KnownConsumer consumer(String name) {
        return inOwnTransaction(connection -> {
            Optional<KnownConsumer> known = findConsumer(connection, name);
            for (int nth = 0; known.isEmpty() && nth < PROBES; nth++) {
                insert(connection, NameStatement.INSERT_CONSUMER, name, numberOf(name, nth));
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

    /** Records the ordering of the consumer; returns the one recorded before, if it was another. */
    Optional<String> replaceOrdering(int consumer, String ordering) {
        return inOwnTransaction(connection -> {
            while (true) {
                String before = findOrdering(connection, consumer);
                if (ordering.equals(before) || replacesOrdering(connection, consumer, before, ordering)) {
                    return Optional.ofNullable(before).filter(each -> !each.equals(ordering));
                }
                // Race: another node wrote its ordering first. Compare ours with that one next.
            }
        });
    }

    private @Nullable String findOrdering(Connection connection, int consumer) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, NameStatement.FIND_ORDERING)) {
            statement.setInt(1, consumer);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new IllegalStateException("Consumer without a row");
                }
                return rows.getString(1);
            }
        }
    }

    private boolean replacesOrdering(Connection connection, int consumer, @Nullable String before, String ordering)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, NameStatement.REPLACE_ORDERING)) {
            statement.setString(1, ordering);
            statement.setInt(2, consumer);
            statement.setString(3, before);
            return statement.executeUpdate() == 1;
        }
    }

    /**
     * Looks up these sources, and those that transactions missed. Called while no transaction is open: it may take a
     * connection of its own.
     */
    void learn(Collection<String> names) {
        Set<String> unknown = new LinkedHashSet<>(missed);
        unknown.addAll(names);
        unknown.removeIf(sources::contains);
        List<Running> lost = List.copyOf(doubtful);
        if (!unknown.isEmpty() || !lost.isEmpty()) {
            inOwnTransaction(connection -> {
                for (Running each : lost) {
                    restore(connection, each);
                    doubtful.remove(each);
                }
                for (String name : unknown) {
                    sources.remember(name, sourceNumber(connection, name));
                }
                return true;
            });
        }
        missed.removeIf(sources::contains);
    }

    /** Caches a number that was read from the database. */
    void learned(String source, int number) {
        sources.remember(source, number);
    }

    /**
     * The number of a source that was looked up before the transaction began.
     *
     * @throws TransactionFailed NOT_LOOKED_UP when it is not known: it has to be looked up before the next try
     */
    int source(String name) {
        Integer number = sources.find(name);
        return number == null ? numbersOf(Set.of(name)).get(0) : number;
    }

    /**
     * The numbers of sources, in their order.
     *
     * @throws TransactionFailed NOT_LOOKED_UP when one is not known: all of them are looked up before the next try
     */
    List<Integer> numbersOf(Set<String> names) {
        List<Integer> numbers = new ArrayList<>(names.size());
        List<String> unknown = new ArrayList<>(0);
        for (String name : names) {
            Integer number = sources.find(name);
            if (number == null) {
                unknown.add(name);
            } else {
                numbers.add(number);
            }
        }
        if (!unknown.isEmpty()) {
            miss(unknown);
            throw new TransactionFailed(
                    TransactionFailed.Kind.NOT_LOOKED_UP,
                    new IllegalStateException(
                            "The source " + unknown.get(0)
                                    + (unknown.size() == 1 ? "" : " and " + (unknown.size() - 1) + " more")
                                    + " had no number when its message was written. Numbers are looked up between two runs, so a handler that"
                                    + " sends under another source at each run cannot commit: use the same sources at each run."));
        }
        return numbers;
    }

    /**
     * The names and numbers that a transaction with these marks uses. The insert checks in the same round trip that their rows
     * exist, and calls {@link #forgotten} when one does not.
     *
     * @throws TransactionFailed NOT_LOOKED_UP when a source is not known here
     */
    Used use(RegisteredConsumer consumer, Collection<NewLedgerRow> marks) {
        Set<String> names = new LinkedHashSet<>();
        marks.forEach(row -> names.add(row.id().source()));
        return new Used(consumer, List.copyOf(names), numbersOf(names));
    }

    /** Checks the rows one by one, where the insert cannot do it. */
    void check(Connection connection, Used used) throws SQLException {
        long found = findConsumer(connection, used.consumer().firstName())
                .filter(known -> known.number() == used.consumer().number())
                .stream()
                .count();
        for (int nth = 0; nth < used.sources().size(); nth++) {
            Integer expected = used.numbers().get(nth);
            found += findSource(connection, used.sources().get(nth)).filter(expected::equals).stream()
                    .count();
        }
        check(used, found);
    }

    /** @throws TransactionFailed FORGOTTEN when the database does not have all the rows: nothing may be committed */
    void check(Used used, long found) {
        if (found != used.rows()) {
            throw forgotten(used);
        }
    }

    private TransactionFailed forgotten(Used used) {
        RegisteredConsumer consumer = used.consumer();
        log.warn(
                "Consumer {}: the database no longer has the number of this consumer or of a source of its messages (failover to a"
                        + " replica that was behind, or a restored backup). Nothing was recorded; the names are looked up again.",
                consumer.name());
        used.sources().forEach(sources::forget);
        miss(used.sources());
        doubtful.add(new Running(consumer.name(), consumer.firstName(), consumer.number()));
        return new TransactionFailed(
                TransactionFailed.Kind.FORGOTTEN,
                new IllegalStateException("the database does not have the numbers that this process uses"));
    }

    private void miss(Collection<String> names) {
        if (missed.size() < MISSED) {
            missed.addAll(names);
        }
    }

    /**
     * Inserts the row of a consumer of this process again. If another consumer has the number meanwhile, this process records
     * nothing until it is restarted.
     */
    private void restore(Connection connection, Running lost) throws SQLException {
        insert(connection, NameStatement.INSERT_CONSUMER, lost.firstName, lost.number);
        boolean restored = findConsumer(connection, lost.firstName)
                .filter(known -> known.number() == lost.number)
                .isPresent();
        if (!restored) {
            log.error(
                    "Consumer {}: the database has another number for it than this process, because the database went back to an"
                            + " earlier time. Nothing is recorded and nothing is acknowledged. Restart this process.",
                    lost.name);
        } else if (!lost.name.equals(lost.firstName)) {
            insert(connection, NameStatement.INSERT_ALIAS, lost.name, lost.number);
        }
    }

    private int sourceNumber(Connection connection, String name) throws SQLException {
        Optional<Integer> known = findSource(connection, name);
        for (int nth = 0; known.isEmpty() && nth < PROBES; nth++) {
            insert(connection, NameStatement.INSERT_SOURCE, name, numberOf(name, nth));
            known = findSource(connection, name);
        }
        return known.orElseThrow(
                () -> new SQLException("Source " + name + " found no free number in " + PROBES + " tries"));
    }

    /** The name of a source without a row; the views show the same. */
    static String missing(int number) {
        return MISSING + number + ")";
    }

    /** The number in such a name; 0 for any other text. */
    static int missing(String source) {
        if (!source.startsWith(MISSING) || !source.endsWith(")")) {
            return 0;
        }
        try {
            return Integer.parseInt(source.substring(MISSING.length(), source.length() - 1));
        } catch (NumberFormatException other) {
            return 0;
        }
    }

    /** 31 bits of a hash: positive, and never 0, under which the start-up probe writes. */
    static int numberOf(String name, int nth) {
        String text = nth == 0 ? name : name + '\n' + nth;
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Math.max(1, ByteBuffer.wrap(hash).getInt() & Integer.MAX_VALUE);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
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

    private void insert(Connection connection, SqlStatement insert, String name, int number) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, insert)) {
            statement.setString(1, name);
            statement.setInt(2, number);
            statement.executeUpdate();
        } catch (SQLException error) {
            // Race: another node inserted the name first, and the caller reads its number. Or another name has the
            // number.
            if (!LedgerWriter.isDuplicate(error)) {
                throw error;
            }
        }
    }

    private <T> T inOwnTransaction(SqlFunction<T> work) {
        try (Connection connection = connections.borrow(true)) {
            return work.apply(connection);
        } catch (SQLException error) {
            throw SqlErrors.unavailable("look up a name", error);
        }
    }

    private interface SqlFunction<T> {
        T apply(Connection connection) throws SQLException;
    }
}
