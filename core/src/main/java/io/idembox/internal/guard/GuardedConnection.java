// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.guard;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection a handler sees. It cannot end the transaction, neither by method nor by SQL text; every statement sends
 * the writes put off before it; every SQLException is remembered (see {@link Faults}); and it stops working when the
 * handler returns. {@code unwrap} still reaches the driver, for features like COPY: what happens there is not seen here,
 * but the proof before the commit still covers it.
 */
final class GuardedConnection {

    private static final Set<String> REFUSED = Set.of(
            "commit",
            "close",
            "abort",
            "setAutoCommit",
            "setTransactionIsolation",
            "setReadOnly",
            "beginRequest",
            "endRequest");
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

    private final Connection raw;
    private final boolean ddlCommits;
    private final HandlerDesk desk;
    private final Faults faults;
    private final Connection proxy;
    private volatile boolean ended;

    GuardedConnection(Connection raw, boolean ddlCommits, HandlerDesk desk, Faults faults) {
        this.raw = raw;
        this.ddlCommits = ddlCommits;
        this.desk = desk;
        this.faults = faults;
        this.proxy = Wrapped.as(Connection.class, (self, method, args) -> onConnection(method, args));
    }

    Connection proxy() {
        return proxy;
    }

    void end() {
        ended = true;
    }

    static String refusal(String what) {
        return what
                + " is refused: the inbox ends this transaction, together with the mark that the message was handled. "
                + "Throw an exception to roll the message back; use setSavepoint() to undo a part of your own work.";
    }

    private @Nullable Object onConnection(Method method, @Nullable Object @Nullable [] args) throws Throwable {
        String name = method.getName();
        if (name.equals("isClosed")) {
            return ended || raw.isClosed();
        }
        checkInUse();
        if (REFUSED.contains(name) || (name.equals("rollback") && args == null)) {
            throw refuse(name + "()");
        }
        if (name.startsWith("prepare") || name.equals("nativeSQL")) {
            checkText(args);
        }
        boolean savepoint = name.equals("setSavepoint") || name.equals("rollback") || name.equals("releaseSavepoint");
        if (savepoint) {
            checkName(args);
            desk.flush();
        }
        Object answer = call(raw, method, args, savepoint || name.startsWith("prepare"));
        if (answer instanceof Savepoint saved) {
            faults.saved(saved);
        }
        if (name.equals("rollback") && args != null && args[0] instanceof Savepoint target) {
            faults.rolledBackTo(target);
        }
        return guard(answer);
    }

    private @Nullable Object guard(@Nullable Object answer) {
        if (answer instanceof CallableStatement statement) {
            return guardStatement(CallableStatement.class, statement);
        }
        if (answer instanceof PreparedStatement statement) {
            return guardStatement(PreparedStatement.class, statement);
        }
        if (answer instanceof Statement statement) {
            return guardStatement(Statement.class, statement);
        }
        if (answer instanceof DatabaseMetaData metaData) {
            return Wrapped.as(
                    DatabaseMetaData.class,
                    (self, method, args) ->
                            method.getName().equals("getConnection") ? proxy : call(metaData, method, args, false));
        }
        return answer;
    }

    private <S extends Statement> S guardStatement(Class<S> type, S statement) {
        return Wrapped.as(type, (self, method, args) -> {
            String name = method.getName();
            if (name.equals("getConnection")) {
                return proxy;
            }
            boolean executes = name.startsWith("execute");
            if (executes || name.equals("addBatch")) {
                checkInUse();
                checkText(args);
            }
            if (executes) {
                // Whatever was put off goes out first, so that the handler reads its own writes.
                desk.flush();
            }
            Object answer = call(statement, method, args, executes || name.equals("getMoreResults"));
            return answer instanceof ResultSet rows ? guardRows(rows, (Statement) self) : answer;
        });
    }

    private ResultSet guardRows(ResultSet rows, Statement owner) {
        return Wrapped.as(ResultSet.class, (self, method, args) -> {
            String name = method.getName();
            return name.equals("getStatement") ? owner : call(rows, method, args, WALKS.contains(name));
        });
    }

    /** A handler's savepoint must not take the place of one of ours. */
    private void checkName(@Nullable Object @Nullable [] args) throws SQLException {
        if (args != null
                && args[0] instanceof String name
                && name.toLowerCase(Locale.ROOT).startsWith("idembox")) {
            throw refuse("A savepoint named " + name);
        }
    }

    private void checkText(@Nullable Object @Nullable [] args) throws SQLException {
        if (args != null && args.length > 0 && args[0] instanceof String sql) {
            String control = SqlText.transactionControlIn(sql, ddlCommits);
            if (control != null) {
                throw refuse(control);
            }
        }
    }

    private void checkInUse() throws SQLException {
        if (ended) {
            throw new SQLException(
                    "This connection belonged to a handler that has returned. Do the work before the handler returns.",
                    "08003");
        }
        SQLException refused = desk.refusalWhileResting();
        if (refused != null) {
            throw refused;
        }
    }

    private SQLException refuse(String what) {
        SQLException refused = new SQLException(refusal(what), "2D000");
        faults.met(refused);
        return refused;
    }

    private @Nullable Object call(
            Object target, Method method, @Nullable Object @Nullable [] args, boolean remembersErrors)
            throws Throwable {
        try {
            return Wrapped.pass(target, method, args);
        } catch (SQLException error) {
            if (remembersErrors) {
                faults.met(error);
            }
            throw error;
        }
    }
}
