// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the inbox of a harness and its database. While something is checked, every commit of the inbox is
 * told to an {@link EffectsCheck}; otherwise the connections are handed out as they are. Thread-safe.
 */
final class CommitWatch {

    private final DataSource real;
    private final String inboxPrefix;
    private final Set<String> apart;
    private final DataSource dataSource;
    private volatile @Nullable EffectsCheck running;

    /** @param apart tables that are not looked at */
    CommitWatch(DataSource real, String inboxPrefix, Set<String> apart) {
        this.real = real;
        this.inboxPrefix = inboxPrefix;
        this.apart = apart;
        this.dataSource = wrap(DataSource.class, real, (method, args) -> onDataSource(method, args));
    }

    /** The one for the inbox. */
    DataSource dataSource() {
        return dataSource;
    }

    /** Runs what delivers; what was found meanwhile, in sentences. */
    List<String> during(Runnable delivering) {
        EffectsCheck check = new EffectsCheck(real, inboxPrefix, apart);
        running = check;
        try {
            delivering.run();
        } finally {
            running = null;
        }
        return check.end();
    }

    private @Nullable Object onDataSource(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        Object answer = call(real, method, args);
        EffectsCheck check = running;
        if (check == null || !(answer instanceof Connection connection)) {
            return answer;
        }
        return wrap(Connection.class, connection, (asked, with) -> onConnection(check, connection, asked, with));
    }

    private static @Nullable Object onConnection(
            EffectsCheck check, Connection connection, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        if (method.getName().equals("commit")) {
            return check.commit(connection, () -> call(connection, method, args));
        }
        Object answer = call(connection, method, args);
        if (answer instanceof PreparedStatement statement && commits(args)) {
            return wrap(
                    PreparedStatement.class,
                    statement,
                    (asked, with) -> asked.getName().startsWith("execute")
                            ? check.commit(connection, () -> call(statement, asked, with))
                            : call(statement, asked, with));
        }
        return answer;
    }

    /** The inbox proves and commits in one text, whose last word it is. One that begins a transaction too has no handler. */
    private static boolean commits(@Nullable Object @Nullable [] args) {
        if (args == null || args.length == 0 || !(args[0] instanceof String sql)) {
            return false;
        }
        String text = sql.strip().toLowerCase(Locale.ROOT);
        return text.endsWith("commit") && !text.contains("set transaction");
    }

    private interface Call {
        @Nullable
        Object make(Method method, @Nullable Object @Nullable [] args) throws Throwable;
    }

    private static <T> T wrap(Class<T> type, T real, Call call) {
        return type.cast(Proxy.newProxyInstance(
                CommitWatch.class.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return switch (method.getName()) {
                            case "equals" -> args != null && self == args[0];
                            case "hashCode" -> System.identityHashCode(self);
                            default -> real.toString();
                        };
                    }
                    return call.make(method, args);
                }));
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }
}
