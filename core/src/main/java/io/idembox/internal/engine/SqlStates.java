// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.StoreUnavailableException;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What SQLStates mean for a transaction. Pure. */
public final class SqlStates {

    private static final Set<String> CONTENTION = Set.of("40001", "40P01");
    private static final Set<String> SERVER_GOES_AWAY =
            Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "90067", "90098", "90121");
    private static final Set<String> ENDED_BEFORE = Set.of("25P03", "25P04");

    private SqlStates() {}

    /** Deadlock or serialisation failure: names no culprit. */
    public static boolean isContention(@Nullable Throwable thrown) {
        SQLException error = sqlCause(thrown);
        return error != null && CONTENTION.contains(stateOf(error));
    }

    /** The session is gone, and with it the transaction. */
    public static boolean isConnectionLoss(@Nullable Throwable thrown) {
        SQLException error = sqlCause(thrown);
        return error != null && (stateOf(error).startsWith("08") || SERVER_GOES_AWAY.contains(stateOf(error)));
    }

    /** The server ended the session because of a timeout, so what was sent after that was not done. */
    public static boolean isSessionTimeout(SQLException error) {
        return ENDED_BEFORE.contains(stateOf(error));
    }

    /**
     * Not supported, syntax, and a table, column, function, type or schema that is not there: PostgreSQL's, then H2's.
     * Not 42501, which a grant changes, and not 42P05, which is about one session.
     */
    private static final Set<String> CANNOT_WORK = Set.of(
            "0A000", "42601", "42P01", "42703", "42883", "42704", "3F000", "42000", "42001", "42S02", "42S03", "42S04",
            "42S22", "90079");

    /** Whether a statement of the inbox fails with this error at every retry, because its tables are missing or changed. */
    public static boolean cannotWork(SQLException error) {
        return CANNOT_WORK.contains(stateOf(error));
    }

    /** The same for the exception of the store. */
    public static boolean cannotWork(InboxException unavailable) {
        return unavailable instanceof StoreUnavailableException
                && unavailable.getCause() instanceof SQLException error
                && cannotWork(error);
    }

    /** What databases without a state of their own for it say. */
    private static final String NO_RIGHT = "42501";

    /** Whether the login may not do it. */
    public static boolean isForbidden(@Nullable Throwable thrown) {
        SQLException error = sqlCause(thrown);
        return error != null && stateOf(error).equals(NO_RIGHT);
    }

    public static final String LOCK_TIMEOUT = "HYT00";

    /** Somebody holds a lock for longer than we wait. */
    public static boolean isLockTimeout(@Nullable Throwable thrown) {
        SQLException error = sqlCause(thrown);
        return error != null
                && (stateOf(error).equals("55P03") || stateOf(error).equals(LOCK_TIMEOUT));
    }

    /** The first SQLException behind a throwable; null when there is none. */
    public static @Nullable SQLException sqlCause(@Nullable Throwable thrown) {
        Set<Throwable> seen = new HashSet<>();
        for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
            if (cause instanceof SQLException error) {
                return error;
            }
        }
        return null;
    }

    public static String stateOf(SQLException error) {
        String state = error.getSQLState();
        return state == null ? "" : state;
    }
}
