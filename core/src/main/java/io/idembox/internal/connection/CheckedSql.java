// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the guard reads from a text before it is sent. Pure.
 *
 * @param refusal why it is refused; null if it is not
 * @param localSettings the settings it changes until the transaction ends, in lower case
 */
record CheckedSql(@Nullable String refusal, Set<String> localSettings) {

    private static final CheckedSql HARMLESS = new CheckedSql(null, Set.of());

    static CheckedSql of(String sql, boolean ddlCommits) {
        String control = TransactionControlScanner.transactionControlIn(sql, ddlCommits);
        if (control != null) {
            return new CheckedSql(endsTheTransaction(control), Set.of());
        }
        SessionSettingScanner session = SessionSettingScanner.of(sql);
        if (session == null) {
            return HARMLESS;
        }
        SessionSettingScanner.Refused refused = session.refused();
        return refused == null ? new CheckedSql(null, session.local()) : new CheckedSql(sentenceOf(refused), Set.of());
    }

    /** Why it cannot be put off: equal texts of many messages are sent together, before what the messages put off next. */
    @Nullable
    String refusalToPutOff() {
        return localSettings.isEmpty()
                ? null
                : "SET LOCAL " + String.join(", ", localSettings)
                        + " is refused as a deferred write: it would be sent together with those of other messages. Execute it"
                        + " through ctx.connection().";
    }

    private static String sentenceOf(SessionSettingScanner.Refused refused) {
        return switch (refused.why()) {
            case OUTLIVES_THE_TRANSACTION -> outlivesTheTransaction(refused.words());
            case DECIDES_FOR_THE_INBOX ->
                refused.words()
                        + " is refused, also for this transaction only: the inbox's own statements and the commit would run with"
                        + " it. Configure the DataSource for all messages.";
            case NAME_UNKNOWN ->
                refused.words()
                        + " is refused: the inbox takes local settings back after the message, and cannot read which one this"
                        + " is. Write the name as a plain literal: set_config('app.tenant', ?, true).";
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
