// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.testkit.jdbc.DelegatingDataSource;
import io.idembox.testkit.jdbc.JdbcProxy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** A data source that asks its actor before each call that reads or writes what other sessions see. Thread-safe. */
final class SteppedDataSource extends DelegatingDataSource {

    /** Touches nothing that others see: to stop before it is to stop before the next statement. */
    private static final Pattern SESSION_ONLY = Pattern.compile(
            "\\s*(set transaction|savepoint|release savepoint|select (pg_catalog\\.)?set_config\\()[^;]*;?\\s*",
            Pattern.CASE_INSENSITIVE);

    private final Actor actor;

    SteppedDataSource(DataSource real, Actor actor) {
        super(real);
        this.actor = actor;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = real().getConnection();
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        actor.opened(pid);
        return new Session(connection, pid).proxy;
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return getConnection();
    }

    /** One connection. */
    private final class Session {

        private final Connection connection;
        private final int pid;
        private final Connection proxy;

        Session(Connection connection, int pid) {
            this.connection = connection;
            this.pid = pid;
            this.proxy = wrap(Connection.class, (self, method, args) -> onConnection(method, args));
        }

        private @Nullable Object onConnection(Method method, @Nullable Object @Nullable [] args) throws Throwable {
            String name = method.getName();
            switch (name) {
                case "close" -> actor.closed(pid);
                case "commit", "rollback" -> actor.before(name);
                default -> {}
            }
            Object answer = JdbcProxy.call(connection, method, args);
            String sql = args != null && args.length > 0 && args[0] instanceof String text ? text : "";
            if (answer instanceof CallableStatement statement) {
                return statement(CallableStatement.class, statement, sql);
            }
            if (answer instanceof PreparedStatement statement) {
                return statement(PreparedStatement.class, statement, sql);
            }
            return answer instanceof Statement statement ? statement(Statement.class, statement, sql) : answer;
        }

        private <S extends Statement> S statement(Class<S> type, S statement, String prepared) {
            return wrap(type, (self, method, args) -> {
                String name = method.getName();
                if (name.equals("getConnection")) {
                    return proxy;
                }
                if (name.startsWith("execute")) {
                    String sql = args != null && args.length > 0 && args[0] instanceof String text ? text : prepared;
                    if (!SESSION_ONLY.matcher(sql).matches()) {
                        actor.before(name(sql));
                    }
                }
                return JdbcProxy.call(statement, method, args);
            });
        }
    }

    /** The beginning of a statement, on one line. */
    private static String name(String sql) {
        String line = sql.replaceAll("--[^\n]*", " ").replaceAll("\\s+", " ").strip();
        return line.length() > 90 ? line.substring(0, 90) + "…" : line;
    }

    private static <T> T wrap(Class<T> type, InvocationHandler handler) {
        return JdbcProxy.of(type, "stepped " + type.getSimpleName(), handler);
    }
}
