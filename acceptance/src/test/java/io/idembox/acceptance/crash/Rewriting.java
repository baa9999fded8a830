// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** A data source that changes one statement on its way to the database, or does something before. */
final class Rewriting {

    private Rewriting() {}

    static DataSource of(DataSource real, String statement, String replacement) {
        return rewriting(real, sql -> sql.equals(statement) ? replacement : sql);
    }

    /** Inserts into that table insert nothing. */
    static DataSource withoutInserts(DataSource real, String table) {
        return rewriting(
                real,
                sql -> sql.startsWith("insert into") && sql.contains(table + " (")
                        ? sql.replaceFirst("(?s)values \\((.*)\\)(\\s+on conflict.*)?\\s*$", "select $1 where 1 = 0$2")
                        : sql);
    }

    /** A piece of whatever statement it is in. */
    static DataSource replacing(DataSource real, String piece, String replacement) {
        return rewriting(real, sql -> sql.replace(piece, replacement));
    }

    /** Every piece that matches, which may go over several lines. */
    static DataSource replacingMatches(DataSource real, String regex, String replacement) {
        return rewriting(real, sql -> sql.replaceAll("(?s)" + regex, replacement));
    }

    /** A piece of those statements that have the mark as well. */
    static DataSource replacingIn(DataSource real, String row, String piece, String replacement) {
        return rewriting(real, sql -> sql.contains(row) ? sql.replace(piece, replacement) : sql);
    }

    /** Something happens before each statement with that piece, which stays as it is. */
    static DataSource noticing(DataSource real, String piece, Runnable action) {
        return rewriting(real, sql -> {
            if (sql.contains(piece)) {
                action.run();
            }
            return sql;
        });
    }

    /** Statements with that piece lock nothing. */
    static DataSource unlocked(DataSource real, String piece) {
        return rewriting(real, sql -> sql.contains(piece) ? sql.replaceFirst("for update( nowait)?$", "") : sql);
    }

    /** Something happens before each connection is handed out. */
    static DataSource beforeConnecting(DataSource real, Runnable action) {
        return passing(DataSource.class, (method, args) -> {
            if (method.getName().equals("getConnection")) {
                action.run();
            }
            return method.invoke(real, args);
        });
    }

    private static DataSource rewriting(DataSource real, UnaryOperator<String> rewrite) {
        return passing(DataSource.class, (method, args) -> {
            Object answer = method.invoke(real, args);
            return answer instanceof Connection connection ? rewriting(connection, rewrite) : answer;
        });
    }

    private static Connection rewriting(Connection real, UnaryOperator<String> rewrite) {
        return passing(Connection.class, (method, args) -> {
            if (method.getName().startsWith("prepare")) {
                args[0] = rewrite.apply((String) args[0]);
            }
            return method.invoke(real, args);
        });
    }

    private interface Call {
        Object make(Method method, Object[] args) throws Exception;
    }

    private static <T> T passing(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                return call.make(method, args);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }
}
