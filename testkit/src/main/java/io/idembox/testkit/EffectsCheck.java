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
 * Finds effects that others than the inbox committed, by looking at the tables of the application.
 *
 * <ol>
 *   <li>In the beginning everybody sees the same.
 *   <li>Just before the inbox commits, its own connection looks: that is what everybody is going to see after the commit.
 *       Then a second connection looks: what it sees anew, somebody else has committed.
 *   <li>In the end a second connection looks once more.
 * </ol>
 *
 * <p>Commits of several threads wait for each other, so that what is expected is known at every moment. Thread-safe.
 */
final class EffectsCheck {

    private static final int SECONDS = 10;

    private final DataSource database;
    private final String inboxPrefix;
    private final Set<String> apart;
    private final ReentrantLock oneCommit = new ReentrantLock();
    private final Map<String, String> changed = new TreeMap<>();
    private final Set<String> written = new TreeSet<>();
    private Map<String, TestTables.Content> expected = Map.of();
    private String schema = "";
    private volatile @Nullable Exception blind;

    EffectsCheck(DataSource database, String inboxPrefix, Set<String> apart) {
        this.database = database;
        this.inboxPrefix = inboxPrefix;
        this.apart = apart;
        Map<String, TestTables.Content> now = outside();
        if (now != null) {
            expected = now;
        }
    }

    /** The commit itself. */
    interface Commit {
        @Nullable
        Object make() throws Throwable;
    }

    /** A transaction of the inbox is about to be committed. */
    @Nullable
    Object commit(Connection own, Commit commit) throws Throwable {
        boolean alone = oneCommit.tryLock(SECONDS, TimeUnit.SECONDS);
        try {
            if (!alone) {
                blind = new IllegalStateException("Two commits of the inbox waited for each other");
                return commit.make();
            }
            // Race: this order. Whatever others commit before the second look is seen by it, and whatever they commit
            // later is not in the first; the other way round it would pass for the inbox's own.
            Map<String, TestTables.Content> before = expected;
            Map<String, TestTables.Content> inside = inside(own);
            compare("before the inbox committed");
            Object answer = commit.make();
            if (inside != null) {
                Set<String> ours = differences(before, inside);
                ours.retainAll(
                        differences(expected, inside)); // what others committed between the looks is in one of them
                written.addAll(ours);
                expected = inside;
            }
            return answer;
        } finally {
            if (alone) {
                oneCommit.unlock();
            }
        }
    }

    /** What was found, in sentences; nothing when all is well. */
    List<String> end() {
        compare("seen at the end");
        if (blind != null) {
            throw new IllegalStateException(
                    "The tables could not be looked at while the inbox worked, so nobody knows. The check needs one more"
                            + " connection than the inbox and its handlers.",
                    blind);
        }
        if (changed.isEmpty()) {
            return List.of();
        }
        List<String> sentences = new ArrayList<>();
        sentences.add(changed.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining("; ", "Somebody else committed to: ", ".")));
        sentences.add(
                written.isEmpty()
                        ? "Through their own connection the handlers wrote nothing."
                        : "Through their own connection the handlers wrote to: " + String.join(", ", written) + ".");
        return sentences;
    }

    /** What a second connection sees has to be what was expected; from now on it is. */
    private void compare(String when) {
        Map<String, TestTables.Content> now = outside();
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
        tables.removeIf(table -> apart.contains(table) || Objects.equals(before.get(table), after.get(table)));
        return tables;
    }

    /** What everybody else sees; null when it cannot be told. */
    private @Nullable Map<String, TestTables.Content> outside() {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                if (!connection.getMetaData().getDatabaseProductName().equals("H2")) {
                    // A handler may have locked a table for itself; it would wait for us, and we for it.
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

    /** What the transaction of the inbox sees, with its own writes; null when it has failed and will not be committed. */
    private @Nullable Map<String, TestTables.Content> inside(Connection own) {
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
