// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.guard;

import org.jspecify.annotations.Nullable;

/** What the guard reads from a text before it is sent. Pure. */
final class HandlerText {

    private HandlerText() {}

    /** Why a text is refused; null if it is not. */
    static @Nullable String refusalOf(String sql, boolean ddlCommits) {
        String control = SqlText.transactionControlIn(sql, ddlCommits);
        if (control != null) {
            return endsTheTransaction(control);
        }
        SessionText session = SessionText.of(sql);
        return session == null || session.refused() == null ? null : sentenceOf(session.refused());
    }

    private static String sentenceOf(SessionText.Refused refused) {
        return switch (refused.why()) {
            case OUTLIVES_THE_TRANSACTION -> outlivesTheTransaction(refused.words());
            case DECIDES_FOR_THE_INBOX ->
                refused.words()
                        + " is refused, also for this transaction only: the inbox's own statements and the commit would run with"
                        + " it. Configure the DataSource for all messages.";
        };
    }

    static String endsTheTransaction(String what) {
        return what
                + " is refused: the inbox ends this transaction, together with the mark that the message was handled. "
                + "Throw an exception to roll the message back; use setSavepoint() to undo a part of your own work.";
    }

    static String outlivesTheTransaction(String what) {
        return what
                + " is refused: it would outlive this transaction, and later messages would run with it. Use SET LOCAL"
                + " or set_config(name, value, true) for this message, or configure the DataSource for all of them.";
    }
}
