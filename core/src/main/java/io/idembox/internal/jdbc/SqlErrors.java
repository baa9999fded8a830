// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxException;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.SqlStates;
import io.idembox.internal.engine.TransactionFailed;
import java.sql.SQLException;

/** Says what an error of one of our own statements means for the transaction. */
final class SqlErrors {

    private SqlErrors() {}

    /** The error of a statement before the commit. */
    static RuntimeException during(String what, SQLException error) {
        if (SqlStates.isContention(error)) {
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
                        + " (SQLState " + error.getSQLState()
                        + "). Nothing was changed, and no message was acknowledged."
                        + (forbidden ? " docs/roles.md says which role may do what." : ""),
                withoutValues(error));
    }

    /** Where it came from, without the text: drivers quote statements with their values. */
    private static SQLException withoutValues(SQLException error) {
        SQLException plain = new SQLException("SQLState " + error.getSQLState(), error.getSQLState());
        plain.setStackTrace(error.getStackTrace());
        return plain;
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
