// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection a handler sees. It cannot end the transaction, neither by method nor by SQL text, undo another message
 * of the batch, or change the session for later messages; every statement sends the writes put off before it; every
 * SQLException is remembered (see {@link UnresolvedErrors}); and it stops working when the handler returns, with everything that was
 * made from it. Whatever it hands out leads back to it and not to the real connection. Only {@code unwrap} reaches the
 * driver, for features like COPY: what happens there is not seen here, but the proof before the commit still covers it.
 */
final class GuardedConnection {

    private static final Set<String> ENDS_THE_TRANSACTION =
            Set.of("commit", "close", "abort", "setAutoCommit", "beginRequest", "endRequest");
    private static final Set<String> CHANGES_ROWS = Set.of("insertRow", "updateRow", "deleteRow");
    private static final Set<String> WALKS = Set.of(
            "next",
            "previous",
            "first",
            "last",
            "absolute",
            "relative",
            "insertRow",
            "updateRow",
            "deleteRow",
            "refreshRow");
    /** Methods that still work on statements and result sets after the handler returned. */
    private static final Set<String> TIDIES_UP = Set.of("close", "isClosed", "getConnection", "getStatement");

    private final Connection raw;
    private final boolean ddlCommits;
    private final HandlerSession admin;
    private final UnresolvedErrors unresolvedErrors;
    private final Connection proxy;
    private final Set<Savepoint> savepoints = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<Object, Array> arrays = new IdentityHashMap<>();
    private volatile boolean ended;

    GuardedConnection(Connection raw, boolean ddlCommits, HandlerSession admin, UnresolvedErrors unresolvedErrors) {
        this.raw = raw;
        this.ddlCommits = ddlCommits;
        this.admin = admin;
        this.unresolvedErrors = unresolvedErrors;
        this.proxy = JdbcWrapper.as(Connection.class, (self, method, args) -> onConnection(method, args));
    }

    Connection proxy() {
        return proxy;
    }

    void end() {
        ended = true;
    }

    private @Nullable Object onConnection(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        if (name.equals("isClosed")) {
            return ended || raw.isClosed();
        }
        checkInUse();
        if (ENDS_THE_TRANSACTION.contains(name) || (name.equals("rollback") && args == null)) {
            throw refuse(CheckedSql.endsTheTransaction(name + "()"));
        }
        if (name.startsWith("set") && !name.equals("setSavepoint")) {
            SQLException refused = refuse(CheckedSql.outlivesTheTransaction(name + "()"));
            throw name.equals("setClientInfo")
                    ? new SQLClientInfoException(refused.getMessage(), refused.getSQLState(), Map.of(), refused)
                    : refused;
        }
        if (name.startsWith("prepare") || name.equals("nativeSQL")) {
            checkText(args);
        }
        boolean savepoint = name.equals("setSavepoint") || name.equals("rollback") || name.equals("releaseSavepoint");
        if (savepoint) {
            checkSavepoint(name, args);
            admin.flush();
        }
        Object answer = call(raw, method, args, savepoint || name.startsWith("prepare"));
        if (answer instanceof Savepoint saved) {
            savepoints.add(saved);
            unresolvedErrors.saved(saved);
        }
        if (name.equals("rollback") && args != null && args[0] instanceof Savepoint target) {
            unresolvedErrors.rolledBackTo(target);
        }
        return guard(method, answer);
    }

    /** Wraps results so that they lead to the guarded connection; only unwrap() returns the driver's objects. */
    private @Nullable Object guard(Method method, @Nullable Object answer) {
        if (method.getName().equals("unwrap")) {
            return answer;
        }
        if (answer instanceof CallableStatement statement) {
            return guardStatement(CallableStatement.class, statement);
        }
        if (answer instanceof PreparedStatement statement) {
            return guardStatement(PreparedStatement.class, statement);
        }
        if (answer instanceof Statement statement) {
            return guardStatement(Statement.class, statement);
        }
        if (answer instanceof ResultSet rows) {
            return guardRows(rows, null);
        }
        if (answer instanceof Array array) {
            return guardArray(array);
        }
        if (answer instanceof DatabaseMetaData metaData) {
            return JdbcWrapper.as(DatabaseMetaData.class, (self, asked, args) -> {
                checkNotEnded();
                return guard(asked, call(metaData, asked, args, false));
            });
        }
        return answer instanceof Connection ? proxy : answer;
    }

    private <S extends Statement> S guardStatement(Class<S> type, S statement) {
        return JdbcWrapper.as(type, (self, method, args) -> {
            String name = method.getName();
            if (name.equals("getConnection")) {
                return proxy;
            }
            if (!TIDIES_UP.contains(name)) {
                checkNotEnded();
            }
            boolean executes = name.startsWith("execute");
            if (executes || name.equals("addBatch")) {
                checkInUse();
                checkText(args);
            }
            if (executes) {
                // Whatever was put off goes out first, so that the handler reads its own writes.
                admin.flush();
            }
            Object answer = call(statement, method, unguarded(args), executes || name.equals("getMoreResults"));
            return answer instanceof ResultSet rows ? guardRows(rows, (Statement) self) : guard(method, answer);
        });
    }

    /** @param owner the guarded statement that made the rows; null when it is the driver's own */
    private ResultSet guardRows(ResultSet rows, @Nullable Statement owner) {
        return JdbcWrapper.as(ResultSet.class, (self, method, args) -> {
            String name = method.getName();
            if (owner != null && name.equals("getStatement")) {
                return owner;
            }
            if (!TIDIES_UP.contains(name)) {
                checkNotEnded();
            }
            if (CHANGES_ROWS.contains(name)) {
                checkInUse();
                admin.flush();
            }
            return guard(method, call(rows, method, unguarded(args), WALKS.contains(name)));
        });
    }

    /** Arrays return result sets, and those return their statement. */
    private Array guardArray(Array array) {
        Array guarded = JdbcWrapper.as(Array.class, array, (self, method, args) -> {
            if (!method.getName().equals("free")) {
                checkNotEnded();
            }
            return guard(method, call(array, method, args, false));
        });
        arrays.put(guarded, array);
        return guarded;
    }

    /** Drivers accept only their own arrays as parameters. */
    private @Nullable Object @Nullable [] unguarded(@Nullable Object @Nullable [] args) {
        if (args == null || arrays.isEmpty()) {
            return args;
        }
        @Nullable Object[] real = args.clone();
        for (int i = 0; i < real.length; i++) {
            Array array = real[i] == null ? null : arrays.get(real[i]);
            real[i] = array == null ? real[i] : array;
        }
        return real;
    }

    /** A handler's savepoint must not replace one of the inbox, and must not undo the work of other messages. */
    private void checkSavepoint(String call, @Nullable Object @Nullable [] args) throws SQLException {
        Object given = args == null ? null : args[0];
        if (given instanceof String name && name.toLowerCase(Locale.ROOT).startsWith("idembox")) {
            throw refuse(CheckedSql.endsTheTransaction("A savepoint named " + name));
        }
        if (given instanceof Savepoint savepoint && !savepoints.contains(savepoint)) {
            throw refuse(
                    call + "(savepoint) is refused: this message did not set the savepoint, so it would undo work of"
                            + " other messages. Set a savepoint in the handler that rolls back to it.");
        }
    }

    private void checkText(@Nullable Object @Nullable [] args) throws SQLException {
        if (args != null && args.length > 0 && args[0] instanceof String sql) {
            CheckedSql text = CheckedSql.of(sql, ddlCommits);
            if (text.refusal() != null) {
                throw refuse(text.refusal());
            }
            admin.changes(text.localSettings());
        }
    }

    private void checkInUse() throws SQLException {
        checkNotEnded();
        SQLException refused = admin.refusalWhileResting();
        if (refused != null) {
            throw refused;
        }
    }

    private void checkNotEnded() throws SQLException {
        if (ended) {
            throw new SQLException(
                    "This connection belonged to a handler that has returned. Do the work before the handler returns.",
                    "08003");
        }
    }

    private SQLException refuse(String sentence) {
        SQLException refused = new SQLException(sentence, "2D000");
        unresolvedErrors.met(refused);
        return refused;
    }

    private @Nullable Object call(
            Object target, Method method, @Nullable Object @Nullable [] args, boolean remembersErrors)
            throws Throwable {
        try {
            return JdbcWrapper.pass(target, method, args);
        } catch (SQLException error) {
            if (remembersErrors) {
                unresolvedErrors.met(error);
            }
            throw error;
        }
    }
}
