// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** A data source that changes one statement on its way to the database. */
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
                        ? sql.replaceFirst("values \\((.*?)\\)", "select $1 where 1 = 0")
                        : sql);
    }

    /** A piece of whatever statement it is in. */
    static DataSource replacing(DataSource real, String piece, String replacement) {
        return rewriting(real, sql -> sql.replace(piece, replacement));
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

    private static DataSource rewriting(DataSource real, UnaryOperator<String> rewrite) {
        return proxy(DataSource.class, real, rewrite);
    }

    private static <T> T proxy(Class<T> type, T real, UnaryOperator<String> rewrite) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (method.getName().startsWith("prepare")) {
                args[0] = rewrite.apply((String) args[0]);
            }
            try {
                Object answer = method.invoke(real, args);
                return answer instanceof Connection connection
                                && method.getName().equals("getConnection")
                        ? proxy(Connection.class, connection, rewrite)
                        : answer;
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }
}
