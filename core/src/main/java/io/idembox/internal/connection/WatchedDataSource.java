// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import io.idembox.event.InboxEvent;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataSource of the application, which sees who takes a connection. What the inbox takes for itself, and whatever is
 * taken while no handler runs on the thread, is handed out as it is. Thread-safe.
 */
public final class WatchedDataSource implements InvocationHandler {

    private static final Logger log = LoggerFactory.getLogger(WatchedDataSource.class);
    private static final int TOLD_AT_MOST = 1_000;

    private final DataSource real;
    private final boolean strict;
    private final Set<Finding> told = ConcurrentHashMap.newKeySet();

    private WatchedDataSource(DataSource real, boolean strict) {
        this.real = real;
        this.strict = strict;
        RunningHandler.want();
    }

    /**
     * The same DataSource, watched. One that is watched already is not watched twice.
     *
     * @param strict whether writes are refused, or only told
     */
    public static DataSource around(DataSource dataSource, boolean strict) {
        boolean isWatched = Proxy.isProxyClass(dataSource.getClass())
                && Proxy.getInvocationHandler(dataSource) instanceof WatchedDataSource;
        DataSource real = isWatched ? ((WatchedDataSource) Proxy.getInvocationHandler(dataSource)).real : dataSource;
        return (DataSource) Proxy.newProxyInstance(
                WatchedDataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                new WatchedDataSource(real, strict));
    }

    /** What is told once. */
    private record Finding(String consumer, String what, String where) {}

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        switch (method.getName()) {
            case "equals" -> {
                return args != null && self == args[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(self);
            }
            case "toString" -> {
                return "watched " + real;
            }
            default -> {
                Object answer = JdbcWrapper.pass(real, method, args);
                return answer instanceof Connection connection ? watched(connection) : answer;
            }
        }
    }

    private Connection watched(Connection connection) {
        RunningHandler handler = RunningHandler.here();
        return handler == null || CallSite.application() == null
                ? connection
                : new WatchedConnection(connection, handler, this).proxy();
    }

    /** A handler is about to write on a connection that it took here. */
    void meet(RunningHandler handler, String what) throws SQLException {
        String where = CallSite.application();
        if (where == null) {
            return; // the inbox writes, in a transaction that the handler gave to it
        }
        Finding found = new Finding(handler.consumer(), what, where);
        boolean isNew = told.size() < TOLD_AT_MOST && told.add(found);
        if (isNew) {
            handler.tell(new InboxEvent.WriteOutsideTransaction(handler.consumer(), handler.id(), what, where));
        }
        if (strict) {
            SQLException refused = new SQLException(
                    "Consumer " + handler.consumer() + ", " + handler.id() + ": " + what + " is refused at " + where
                            + ". It is executed on another connection than the inbox's, so it would commit apart from the mark that"
                            + " the message was handled. Write through ctx.connection(), in a step through"
                            + " step.connection().",
                    "25000");
            handler.refuse(refused);
            throw refused;
        }
        if (isNew) {
            log.warn(
                    "Consumer {}: the handler of {} executes {} on another connection than the inbox's, at {}. It commits apart"
                            + " from the mark that the message was handled: a crash in between loses it or does it twice."
                            + " Write through ctx.connection(), in a step through step.connection(). What is meant to be"
                            + " apart belongs on a DataSource that is not watched. This is said once.",
                    handler.consumer(),
                    handler.id(),
                    what,
                    where);
        }
    }
}
