// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Finds effects that were committed outside the inbox's transactions, by reading the tables of the application.
 *
 * <ol>
 * <li>At the start all connections see the same rows.
 * <li>Just before the inbox commits, its own connection reads the rows that will be visible after the commit. Then a
 * second connection reads: new rows that it sees were committed by another transaction.
 * <li>At the end a second connection reads once more.
 * </ol>
 *
 * <p>Commits of several threads wait for each other, so that the expected rows are known at every moment. Thread-safe.
 */
final class EffectsCheck {

    private static final int SECONDS = 10;

    private final DataSource database;
    private final String inboxPrefix;
    private final Set<String> ignoredTables;
    private final ReentrantLock commitLock = new ReentrantLock();
    private final Map<String, String> changed = new TreeMap<>();
    private final Set<String> written = new TreeSet<>();
    private Map<String, TestTables.Content> expected = Map.of();
    private String schema = "";
    private volatile @Nullable Exception blind;

    EffectsCheck(DataSource database, String inboxPrefix, Set<String> apart) {
        this.database = database;
        this.inboxPrefix = inboxPrefix;
        this.ignoredTables = apart;
        Map<String, TestTables.Content> now = visibleOutside();
        if (now != null) {
            expected = now;
        }
    }

    interface Commit {
        @Nullable
        Object make() throws Throwable;
    }

    /** Checks the tables, then commits a transaction of the inbox. */
    @Nullable
    Object commit(Connection own, Commit commit) throws Throwable {
        boolean alone = commitLock.tryLock(SECONDS, TimeUnit.SECONDS);
        try {
            if (!alone) {
                blind = new IllegalStateException("Two commits of the inbox waited for each other");
                return commit.make();
            }
            // Race: keep this order. A concurrent commit before the second read is seen by it, and a later one is not
            // in the first read. In the opposite order a concurrent commit would be taken for the inbox's own.
            Map<String, TestTables.Content> before = expected;
            Map<String, TestTables.Content> inside = visibleInside(own);
            compare("before the inbox committed");
            Object answer = commit.make();
            if (inside != null) {
                Set<String> ours = differences(before, inside);
                ours.retainAll(differences(expected, inside)); // a commit between the two reads is in one of them
                written.addAll(ours);
                expected = inside;
            }
            return answer;
        } finally {
            if (alone) {
                commitLock.unlock();
            }
        }
    }

    /** Ends the check and returns one sentence per finding; empty when there are none. */
    List<String> end() {
        compare("seen at the end");
        if (blind != null) {
            throw new IllegalStateException(
                    "The tables could not be read while the inbox worked, so nothing was checked. The check needs one more"
                            + " connection than the inbox and its handlers.",
                    blind);
        }
        if (changed.isEmpty()) {
            return List.of();
        }
        List<String> sentences = new ArrayList<>();
        sentences.add(changed.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining("; ", "Another transaction committed to: ", ".")));
        sentences.add(
                written.isEmpty()
                        ? "Through ctx.connection() the handlers wrote nothing."
                        : "Through ctx.connection() the handlers wrote to: " + String.join(", ", written) + ".");
        return sentences;
    }

    /** Compares the rows that a second connection sees with the expected rows, then takes them as the expected rows. */
    private void compare(String when) {
        Map<String, TestTables.Content> now = visibleOutside();
        if (now == null) {
            return;
        }
        for (String table : differences(expected, now)) {
            String was = rows(expected.get(table));
            String is = rows(now.get(table));
            changed.putIfAbsent(table, "(" + was + (was.equals(is) ? ", changed" : ", then " + is) + ", " + when + ")");
        }
        expected = now;
    }

    private static String rows(TestTables.@Nullable Content content) {
        return content == null ? "no table" : content.rows() + (content.rows() == 1 ? " row" : " rows");
    }

    private Set<String> differences(Map<String, TestTables.Content> before, Map<String, TestTables.Content> after) {
        Set<String> tables = new HashSet<>(before.keySet());
        tables.addAll(after.keySet());
        tables.removeIf(table -> ignoredTables.contains(table) || Objects.equals(before.get(table), after.get(table)));
        return tables;
    }

    /** The rows visible to other connections; null when they cannot be read. */
    private @Nullable Map<String, TestTables.Content> visibleOutside() {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                if (!connection.getMetaData().getDatabaseProductName().equals("H2")) {
                    // A handler may hold a table lock: without the timeout it and this check would wait for each other.
                    statement.execute("set local lock_timeout = '" + SECONDS + "s'");
                }
                schema = connection.getSchema();
                return TestTables.contents(connection, schema, inboxPrefix);
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException unreadable) {
            blind = unreadable;
            return null;
        }
    }

    /**
     * The rows visible to the inbox's transaction, with its own writes; null when it has failed and will not be
     * committed.
     */
    private @Nullable Map<String, TestTables.Content> visibleInside(Connection own) {
        try {
            Savepoint before = own.setSavepoint();
            try {
                Map<String, TestTables.Content> seen = TestTables.contents(own, schema, inboxPrefix);
                own.releaseSavepoint(before);
                return seen;
            } catch (SQLException unreadable) {
                own.rollback(before);
                blind = unreadable;
                return null;
            }
        } catch (SQLException failed) {
            return null;
        }
    }
}
