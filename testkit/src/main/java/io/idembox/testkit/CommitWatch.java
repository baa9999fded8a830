// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.jdbc.JdbcProxy;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between the inbox of a harness and its database. While a check runs, it reports every commit of the inbox to
 * an {@link EffectsCheck}; otherwise it hands out the connections unchanged. Thread-safe.
 */
final class CommitWatch {

    private final DataSource real;
    private final String inboxPrefix;
    private final Set<String> ignoredTables;
    private final DataSource dataSource;
    private volatile @Nullable EffectsCheck running;

    /** @param apart tables that are not checked */
    CommitWatch(DataSource real, String inboxPrefix, Set<String> apart) {
        this.real = real;
        this.inboxPrefix = inboxPrefix;
        this.ignoredTables = apart;
        this.dataSource = JdbcProxy.of(DataSource.class, real, (self, method, args) -> onDataSource(method, args));
    }

    /** The DataSource for the inbox. */
    DataSource dataSource() {
        return dataSource;
    }

    /** Runs the deliveries and returns one sentence per finding. */
    List<String> check(Runnable delivering) {
        EffectsCheck check = new EffectsCheck(real, inboxPrefix, ignoredTables);
        running = check;
        try {
            delivering.run();
        } finally {
            running = null;
        }
        return check.end();
    }

    private @Nullable Object onDataSource(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        Object answer = JdbcProxy.call(real, method, args);
        EffectsCheck check = running;
        if (check == null || !(answer instanceof Connection connection)) {
            return answer;
        }
        return JdbcProxy.of(
                Connection.class, connection, (self, asked, with) -> onConnection(check, connection, asked, with));
    }

    private static @Nullable Object onConnection(
            EffectsCheck check, Connection connection, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        if (method.getName().equals("commit")) {
            return check.commit(connection, () -> JdbcProxy.call(connection, method, args));
        }
        Object answer = JdbcProxy.call(connection, method, args);
        if (answer instanceof PreparedStatement statement && commits(args)) {
            return JdbcProxy.of(
                    PreparedStatement.class,
                    statement,
                    (self, asked, with) -> asked.getName().startsWith("execute")
                            ? check.commit(connection, () -> JdbcProxy.call(statement, asked, with))
                            : JdbcProxy.call(statement, asked, with));
        }
        return answer;
    }

    /**
     * Whether the SQL text ends in a commit: the inbox proves and commits in one text. A text that also begins a
     * transaction runs no handler, so it is not checked.
     */
    private static boolean commits(@Nullable Object @Nullable [] args) {
        if (args == null || args.length == 0 || !(args[0] instanceof String sql)) {
            return false;
        }
        String text = sql.strip().toLowerCase(Locale.ROOT);
        return text.endsWith("commit") && !text.contains("set transaction");
    }
}
