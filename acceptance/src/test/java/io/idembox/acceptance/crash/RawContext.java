// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.DeferredWrite;
import io.idembox.HandlerContext;
import io.idembox.HandlerOutbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Step;
import java.sql.Connection;
import java.sql.SQLException;
import org.h2.jdbc.JdbcConnection;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;

/** A context that hands out the connection without its guard. */
final class RawContext implements HandlerContext {

    private final HandlerContext guarded;

    RawContext(HandlerContext guarded) {
        this.guarded = guarded;
    }

    /** The driver's own connection: statements work as usual, but nobody remembers their errors. */
    @Override
    public Connection connection() {
        try {
            Connection behind = guarded.connection();
            return behind.isWrapperFor(JdbcConnection.class)
                    ? behind.unwrap(JdbcConnection.class)
                    : behind.unwrap(PgConnection.class);
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    public String consumer() {
        return guarded.consumer();
    }

    @Override
    public Message message() {
        return guarded.message();
    }

    @Override
    public MessageId id() {
        return guarded.id();
    }

    @Override
    public int attempt() {
        return guarded.attempt();
    }

    @Override
    public DeferredWrite later(String sql, @Nullable Object... args) {
        return guarded.later(sql, args);
    }

    @Override
    public void result(Payload result) {
        guarded.result(result);
    }

    @Override
    public Payload step(String name, Step.Work work) throws Exception {
        return guarded.step(name, work);
    }

    @Override
    public HandlerOutbox outbox() {
        return guarded.outbox();
    }

    @Override
    public void intend(String name, String part, Object request) {
        guarded.intend(name, part, request);
    }

    @Override
    public boolean isReplay() {
        return guarded.isReplay();
    }

    @Override
    public String effectKey(String name) {
        return guarded.effectKey(name);
    }
}
