// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxException;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.SqlStates;
import io.idembox.internal.engine.TransactionFailed;
import java.sql.SQLException;

/** Says what an error of one of our own statements means for the transaction. */
final class SqlErrors {

    private static final String STALE_PLAN = "40001";
    private static final String NO_CONNECTION = "08001";

    private SqlErrors() {}

    /** The error of a statement before the commit. */
    static RuntimeException during(String what, SQLException error) {
        if (SqlStates.isContention(error) || isStalePlan(error)) {
            return new TransactionFailed(TransactionFailed.Kind.CONTENDED, error);
        }
        if (SqlStates.isLockTimeout(error)) {
            return new TransactionFailed(TransactionFailed.Kind.BUSY, error);
        }
        if (SqlStates.isConnectionLoss(error)) {
            return new TransactionFailed(TransactionFailed.Kind.LOST, error);
        }
        return unavailable(what, error);
    }

    /** Says no more than is true for everybody: what happens next is added by whoever called. */
    static InboxException unavailable(String what, SQLException error) {
        boolean forbidden = SqlStates.isForbidden(error);
        return new StoreUnavailableException(
                (forbidden ? "This login may not do that: the" : "The") + " database did not " + what
                        + " (SQLState " + error.getSQLState() + (cannotWork(error) ? ": " + sentenceOf(error) : "")
                        + "). Nothing was changed, and no message was acknowledged."
                        + (forbidden ? " docs/roles.md says which role may do what." : ""),
                withoutValues(error));
    }

    /** No statement of the inbox failed: an error while a connection is opened may be temporary. */
    static InboxException noConnection(SQLException error) {
        return unavailable(
                "open a connection",
                cannotWork(error) ? new SQLException(error.getMessage(), NO_CONNECTION, error) : error);
    }

    /** Where it came from, without the text: drivers quote statements with their values. */
    private static SQLException withoutValues(SQLException error) {
        // A stale plan disappears with a retry: it must not count as a statement that cannot work.
        String state = isStalePlan(error) ? STALE_PLAN : error.getSQLState();
        SQLException plain = new SQLException("SQLState " + state, state);
        plain.setStackTrace(error.getStackTrace());
        return plain;
    }

    /** Whether a statement of the inbox fails with this error at every retry. */
    static boolean cannotWork(SQLException error) {
        return SqlStates.cannotWork(error) && !isStalePlan(error);
    }

    /** The driver's message, which names tables and columns; for H2 without the statement. */
    private static String sentenceOf(SQLException error) {
        String text = error.getMessage() == null ? "" : error.getMessage();
        return text.lines().findFirst().orElse("").split("; SQL statement", 2)[0];
    }

    /** The table of a prepared statement was changed (PostgreSQL: 0A000). The driver prepares the statement again. */
    private static boolean isStalePlan(SQLException error) {
        return SqlStates.stateOf(error).equals("0A000") && routineOf(error).equals("RevalidateCachedQuery");
    }

    /** The server routine that raised an error or warning of PostgreSQL; the message text depends on the language. */
    static String routineOf(SQLException error) {
        try {
            Object server = error.getClass().getMethod("getServerErrorMessage").invoke(error);
            return server == null
                    ? ""
                    : String.valueOf(server.getClass().getMethod("getRoutine").invoke(server));
        } catch (ReflectiveOperationException otherDriver) {
            return "";
        }
    }

    /** The error of a commit: what is not known is not called a failure. */
    static TransactionFailed atCommit(SQLException error) {
        if (SqlStates.isSessionTimeout(error)) {
            return new TransactionFailed(TransactionFailed.Kind.LOST, error);
        }
        if (SqlStates.isConnectionLoss(error) || SqlStates.stateOf(error).isEmpty()) {
            return new TransactionFailed(TransactionFailed.Kind.UNKNOWN, error);
        }
        return new TransactionFailed(
                SqlStates.isContention(error) ? TransactionFailed.Kind.CONTENDED : TransactionFailed.Kind.REFUSED,
                error);
    }
}
