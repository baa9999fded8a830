// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import io.idembox.DeferredWrite;
import io.idembox.MessageId;
import io.idembox.event.InboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the handlers of one transaction work with: the guarded connection, the writes put off, and the memory of what
 * went wrong. Not thread-safe.
 */
public final class HandlerSession {

    private final Connection raw;
    private final boolean ddlCommits;
    private final DeferredWrites writes;
    private final UnresolvedErrors unresolvedErrors = new UnresolvedErrors();
    private final LocalSettings settings;
    private @Nullable GuardedConnection open;
    private @Nullable RunningHandler running;
    private boolean resting;
    private @Nullable SQLException disturbance;

    /**
     * @param raw the connection of the transaction
     * @param ddlCommits whether the database commits before a DDL statement
     * @param settings the settings of the transaction
     */
    public HandlerSession(Connection raw, boolean ddlCommits, TransactionSettings settings) {
        this.raw = raw;
        this.ddlCommits = ddlCommits;
        this.writes = new DeferredWrites(raw);
        this.settings = new LocalSettings(settings);
    }

    /** The desk is set for the next message; the connection of the message before stops working. */
    public void nextMessage(@Nullable String key) {
        leave();
        writes.nextMessage(key);
    }

    /** The handler of the message is called now, on this thread. Costs nothing while nobody watches a DataSource. */
    public void calls(String consumer, MessageId id, Consumer<InboxEvent> listener) {
        running = RunningHandler.begin(consumer, id, listener);
    }

    /** The handler has returned: whoever kept its connection cannot use it any more. */
    public void leave() {
        if (running != null) {
            running.end();
            SQLException refused = running.refused();
            if (refused != null) {
                unresolvedErrors.met(refused);
            }
            running = null;
        }
        if (open != null) {
            open.end();
            open = null;
        }
    }

    public Connection connection() {
        if (open == null) {
            open = new GuardedConnection(raw, ddlCommits, this, unresolvedErrors);
        }
        return open.proxy();
    }

    /** A step begins: what it writes here would be undone with the handler, and not be done again with the step. */
    public void rest() {
        resting = true;
        disturbance = null;
    }

    /** Who used this desk while it rested, whether or not the refusal was thrown on; null when nobody did. */
    public @Nullable SQLException disturbance() {
        return disturbance;
    }

    /** The step is over. */
    public void wake() {
        resting = false;
    }

    /** Fails the message that asks, unless no step is running. */
    public void checkAwake() {
        SQLException refused = refusalWhileResting();
        if (refused != null) {
            throw new IllegalStateException(refused.getMessage());
        }
    }

    @Nullable
    SQLException refusalWhileResting() {
        if (!resting) {
            return null;
        }
        disturbance = new SQLException(
                "The transaction of the handler cannot be used inside a step: it may still be rolled back, and the step is"
                        + " not repeated then. Use step.connection() and step.result(...), or do it before or after the"
                        + " step.",
                "2D000");
        unresolvedErrors.met(disturbance);
        return disturbance;
    }

    public DeferredWrite later(String sql, @Nullable Object... args) {
        checkAwake();
        CheckedSql text = CheckedSql.of(sql, ddlCommits);
        String refusal = text.refusal() == null ? text.refusalToPutOff() : text.refusal();
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        return writes.add(sql, args);
    }

    /** Sends the writes that were put off. */
    public void flush() throws SQLException {
        try {
            writes.flush();
        } catch (SQLException error) {
            unresolvedErrors.met(error);
            throw error;
        }
    }

    /** The handler is about to change these settings for the rest of its transaction. */
    void changes(Set<String> names) throws SQLException {
        try {
            settings.change(names);
        } catch (SQLException error) {
            unresolvedErrors.met(error);
            throw error;
        }
    }

    /**
     * Takes back the local settings of the handler that has returned, after sending what it put off: other messages and the inbox
     * do not run with them. Handlers that fail need no call: the rollback takes their settings back.
     */
    public void restoreSettings() throws SQLException {
        if (!settings.areChanged()) {
            return;
        }
        flush();
        try {
            settings.restore();
        } catch (SQLException error) {
            unresolvedErrors.met(error);
            throw error;
        }
    }

    /** The error a handler met and did not undo, whether or not it threw it on; null when there is none. */
    public @Nullable SQLException unresolved() {
        return unresolvedErrors.unresolved();
    }

    /** The transaction was rolled back to where it was clean. */
    public void startOver() {
        leave();
        writes.clear();
        unresolvedErrors.clear();
        settings.forget();
    }
}
