// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection that a handler took from a watched DataSource. It does what the real one does; when something that writes
 * is about to be executed, {@link WatchedDataSource} is told first. Rows are not wrapped unless they can be changed. As
 * thread-safe as the real one.
 */
final class WatchedConnection {

    private static final Set<String> CHANGES = Set.of("insertRow", "updateRow", "deleteRow");

    private final Connection real;
    private final RunningHandler taker;
    private final WatchedDataSource source;
    private final Connection proxy;

    WatchedConnection(Connection real, RunningHandler taker, WatchedDataSource source) {
        this.real = real;
        this.taker = taker;
        this.source = source;
        this.proxy = JdbcWrapper.as(Connection.class, (self, method, args) -> onConnection(method, args));
    }

    Connection proxy() {
        return proxy;
    }

    private @Nullable Object onConnection(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        Object answer = JdbcWrapper.pass(real, method, args);
        String written = writtenBy(args);
        if (answer instanceof CallableStatement statement) {
            return watch(CallableStatement.class, statement, written);
        }
        if (answer instanceof PreparedStatement statement) {
            return watch(PreparedStatement.class, statement, written);
        }
        if (answer instanceof Statement statement) {
            return watch(Statement.class, statement, null);
        }
        if (answer instanceof DatabaseMetaData metaData) {
            return JdbcWrapper.as(
                    DatabaseMetaData.class,
                    (self, asked, with) ->
                            asked.getName().equals("getConnection") ? proxy : JdbcWrapper.pass(metaData, asked, with));
        }
        return answer;
    }

    /** @param prepared what it writes; null when it does not, or when its text is not known yet */
    private <S extends Statement> S watch(Class<S> type, S statement, @Nullable String prepared) throws SQLException {
        boolean updatable = statement.getResultSetConcurrency() == ResultSet.CONCUR_UPDATABLE;
        return JdbcWrapper.as(type, (self, method, args) -> {
            String name = method.getName();
            if (name.equals("getConnection")) {
                return proxy;
            }
            if (name.startsWith("execute") || name.equals("addBatch")) {
                String written = writtenBy(args);
                tell(written == null && !name.equals("addBatch") ? prepared : written);
            }
            Object answer = JdbcWrapper.pass(statement, method, args);
            return updatable && answer instanceof ResultSet rows ? watch(rows) : answer;
        });
    }

    private ResultSet watch(ResultSet rows) {
        return JdbcWrapper.as(ResultSet.class, (self, method, args) -> {
            if (CHANGES.contains(method.getName())) {
                tell("ResultSet." + method.getName());
            }
            return JdbcWrapper.pass(rows, method, args);
        });
    }

    /** Whose write it is: the handler's that runs here, or the one's that took the connection and has not returned yet. */
    private void tell(@Nullable String written) throws SQLException {
        RunningHandler here = RunningHandler.here();
        RunningHandler handler = here == null ? taker : here;
        if (written != null && !handler.isOver()) {
            source.meet(handler, written);
        }
    }

    private static @Nullable String writtenBy(@Nullable Object @Nullable [] args) {
        return args != null && args.length > 0 && args[0] instanceof String sql ? WriteScanner.in(sql) : null;
    }
}
