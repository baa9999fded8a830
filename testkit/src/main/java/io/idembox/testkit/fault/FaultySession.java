// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import io.idembox.testkit.jdbc.JdbcProxy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One connection of a process whose calls are steps. As thread-safe as a connection: only ending it is thread-safe. */
final class FaultySession {

    private final FaultyDataSource process;
    private final Sessions sessions;
    private final Connection real;
    private final int pid;
    private final Connection proxy;
    private volatile boolean lost;
    private boolean autoCommit;
    private boolean inTransaction;

    FaultySession(FaultyDataSource process, Sessions sessions, Connection real) throws SQLException {
        this.process = process;
        this.sessions = sessions;
        this.real = real;
        this.pid = Sessions.pidOf(real);
        this.autoCommit = real.getAutoCommit();
        this.proxy = wrap(Connection.class, (self, method, args) -> onConnection(method, args));
    }

    Connection proxy() {
        return proxy;
    }

    /** Cuts the connection; the server has noticed when it returns. */
    void lose() {
        if (!lost) {
            lost = true;
            process.remove(this);
            sessions.end(real, pid);
        }
    }

    /** Makes the database report an error. */
    SQLException error(String sqlState) throws SQLException {
        SQLException error = sessions.raise(real, pid, sqlState);
        if (sqlState.equals("57P01")) {
            lost = true;
            process.remove(this);
        }
        return error;
    }

    /** Refuses the commit: the transaction is rolled back and over. */
    SQLException refusal(String sqlState) throws SQLException {
        if (!autoCommit) {
            real.rollback();
            inTransaction = false;
        }
        return Sessions.injected(sqlState);
    }

    private @Nullable Object onConnection(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        switch (name) {
            case "close" -> {
                close();
                return null;
            }
            case "isClosed" -> {
                return lost || real.isClosed();
            }
            case "isValid" -> {
                return !lost && !process.isCrashed() && Boolean.TRUE.equals(JdbcProxy.call(real, method, args));
            }
            default -> checkAlive();
        }
        Object answer = switch (name) {
            case "commit" ->
                process.step(
                        new FaultyDataSource.Call(Step.Kind.COMMIT, name, true),
                        this,
                        () -> ended(JdbcProxy.call(real, method, args)));
            case "rollback" ->
                process.step(
                        new FaultyDataSource.Call(
                                Step.Kind.ROLLBACK, args == null ? name : "rollback to savepoint", false),
                        this,
                        () -> args == null
                                ? ended(JdbcProxy.call(real, method, args))
                                : JdbcProxy.call(real, method, args));
            case "setSavepoint", "releaseSavepoint" -> {
                inTransaction = true;
                yield process.step(
                        new FaultyDataSource.Call(Step.Kind.SAVEPOINT, name, false),
                        this,
                        () -> JdbcProxy.call(real, method, args));
            }
            case "setAutoCommit" -> setAutoCommit(method, args);
            default -> JdbcProxy.call(real, method, args);
        };
        return guard(answer, args != null && args.length > 0 && args[0] instanceof String sql ? sql : null);
    }

    private void close() throws SQLException {
        process.remove(this);
        if (!lost && !process.isCrashed()) {
            real.close();
        }
    }

    private @Nullable Object ended(@Nullable Object answer) {
        inTransaction = false;
        return answer;
    }

    /** Switching auto-commit on commits an open transaction; only then it is a step. */
    private @Nullable Object setAutoCommit(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        boolean on = args != null && Boolean.TRUE.equals(args[0]);
        Object answer = on && !autoCommit && inTransaction
                ? process.step(
                        new FaultyDataSource.Call(Step.Kind.COMMIT, "setAutoCommit", true),
                        this,
                        () -> ended(JdbcProxy.call(real, method, args)))
                : JdbcProxy.call(real, method, args);
        autoCommit = on;
        return answer;
    }

    private @Nullable Object guard(@Nullable Object answer, @Nullable String sql) {
        if (answer instanceof CallableStatement statement) {
            return guardStatement(CallableStatement.class, statement, sql);
        }
        if (answer instanceof PreparedStatement statement) {
            return guardStatement(PreparedStatement.class, statement, sql);
        }
        if (answer instanceof Statement statement) {
            return guardStatement(Statement.class, statement, null);
        }
        if (answer instanceof DatabaseMetaData metaData) {
            return wrap(DatabaseMetaData.class, (self, method, args) -> {
                checkAlive();
                return method.getName().equals("getConnection") ? proxy : JdbcProxy.call(metaData, method, args);
            });
        }
        return answer;
    }

    private <S extends Statement> S guardStatement(Class<S> type, S statement, @Nullable String prepared) {
        String[] batched = new String[1];
        return wrap(type, (self, method, args) -> {
            String name = method.getName();
            if (name.equals("getConnection")) {
                return proxy;
            }
            if (name.equals("close")) {
                return lost || process.isCrashed() ? null : JdbcProxy.call(statement, method, args);
            }
            checkAlive();
            String given = args != null && args.length > 0 && args[0] instanceof String sql ? sql : prepared;
            if (name.equals("addBatch") && given != null && batched[0] == null) {
                batched[0] = given;
            }
            Object answer = name.startsWith("execute")
                    ? execute(given == null ? batched[0] : given, () -> JdbcProxy.call(statement, method, args))
                    : JdbcProxy.call(statement, method, args);
            return answer instanceof ResultSet rows ? guardRows(rows, (Statement) self) : answer;
        });
    }

    private @Nullable Object execute(@Nullable String given, FaultyDataSource.RealCall call) throws Throwable {
        String sql = given == null ? "" : given;
        Step.Kind kind = SqlWords.kindOf(sql);
        var described =
                new FaultyDataSource.Call(kind, SqlWords.firstWords(sql), kind == Step.Kind.COMMIT || autoCommit);
        inTransaction = !autoCommit;
        Object answer = process.step(described, this, call);
        boolean ends = kind == Step.Kind.COMMIT
                || (kind == Step.Kind.ROLLBACK && !sql.toLowerCase(Locale.ROOT).contains(" to "));
        return ends ? ended(answer) : answer;
    }

    private ResultSet guardRows(ResultSet rows, Statement owner) {
        return wrap(ResultSet.class, (self, method, args) -> {
            if (method.getName().equals("getStatement")) {
                return owner;
            }
            if (method.getName().equals("close") && (lost || process.isCrashed())) {
                return null;
            }
            checkAlive();
            return JdbcProxy.call(rows, method, args);
        });
    }

    private void checkAlive() throws SQLException {
        process.checkAlive();
        if (lost) {
            throw new SQLException("This connection was lost: an injected fault cut it", "08003");
        }
    }

    private static <T> T wrap(Class<T> type, InvocationHandler handler) {
        return JdbcProxy.of(type, "faulty " + type.getSimpleName(), handler);
    }
}
