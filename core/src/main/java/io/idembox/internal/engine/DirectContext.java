// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Deferred;
import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.internal.guard.HandlerDesk;
import java.sql.Connection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one handler call sees of its message. */
final class DirectContext implements HandlerContext {

    private final Consumer consumer;
    private final Found found;
    private final HandlerDesk desk;
    private final java.util.function.Consumer<Payload> results;
    private volatile boolean ended;

    DirectContext(Consumer consumer, Found found, HandlerDesk desk, java.util.function.Consumer<Payload> results) {
        this.consumer = consumer;
        this.found = found;
        this.desk = desk;
        this.results = results;
    }

    @Override
    public String consumer() {
        return consumer.name();
    }

    @Override
    public Message message() {
        return found.candidate().message();
    }

    @Override
    public MessageId id() {
        return found.candidate().id();
    }

    @Override
    public int attempt() {
        return found.attempt();
    }

    /** The handler has returned. */
    void end() {
        ended = true;
    }

    private void checkInUse() {
        if (ended) {
            throw new IllegalStateException(
                    "The handler of " + found.candidate().id()
                            + " has returned; its context cannot be used any more. Do the work before the handler returns.");
        }
    }

    @Override
    public Connection connection() {
        checkInUse();
        return desk.connection();
    }

    @Override
    public Deferred later(String sql, @Nullable Object... args) {
        checkInUse();
        return desk.later(sql, args);
    }

    @Override
    public void result(Payload result) {
        checkInUse();
        results.accept(Objects.requireNonNull(result, "result"));
    }

    @Override
    public String effectKey(String name) {
        return EffectKeys.of(consumer.firstName(), found.candidate().id(), name);
    }
}
