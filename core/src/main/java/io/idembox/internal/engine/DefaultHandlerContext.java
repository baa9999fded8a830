// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.DeferredWrite;
import io.idembox.HandlerContext;
import io.idembox.HandlerOutbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Step;
import io.idembox.internal.connection.HandlerSession;
import java.sql.Connection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one handler call sees of its message. */
final class DefaultHandlerContext implements HandlerContext {

    private final RegisteredConsumer consumer;
    private final RecordedMessage recorded;
    private final HandlerSession admin;
    private final java.util.function.Consumer<Payload> results;
    private final MessageSteps steps;
    private final PendingEffects pendingEffects;
    private final boolean replay;
    private volatile boolean ended;

    DefaultHandlerContext(
            RegisteredConsumer consumer,
            RecordedMessage recorded,
            HandlerSession admin,
            java.util.function.Consumer<Payload> results,
            MessageSteps steps,
            PendingEffects pendingEffects,
            boolean replay) {
        this.consumer = consumer;
        this.recorded = recorded;
        this.admin = admin;
        this.results = results;
        this.steps = steps;
        this.pendingEffects = pendingEffects;
        this.replay = replay;
    }

    @Override
    public String consumer() {
        return consumer.name();
    }

    @Override
    public Message message() {
        return recorded.incoming().message();
    }

    @Override
    public MessageId id() {
        return recorded.incoming().id();
    }

    @Override
    public int attempt() {
        return recorded.attempt();
    }

    /** The handler has returned; what it may have kept to itself about its steps and what it sends. */
    @Nullable
    RuntimeException end() {
        ended = true;
        return steps.trouble() == null ? pendingEffects.trouble() : steps.trouble();
    }

    private void checkInUse() {
        if (ended) {
            throw new IllegalStateException(
                    "The handler of " + recorded.incoming().id()
                            + " has returned; its context cannot be used any more. Do the work before the handler returns.");
        }
    }

    @Override
    public Connection connection() {
        checkInUse();
        return admin.connection();
    }

    @Override
    public DeferredWrite later(String sql, @Nullable Object... args) {
        checkInUse();
        return admin.later(sql, args);
    }

    @Override
    public void result(Payload result) {
        checkInUse();
        admin.checkAwake();
        results.accept(Objects.requireNonNull(result, "result"));
    }

    @Override
    public Payload step(String name, Step.Work work) throws Exception {
        checkInUse();
        return steps.run(name, work);
    }

    @Override
    public HandlerOutbox outbox() {
        checkInUse();
        return (destination, message) -> {
            checkInUse();
            admin.checkAwake();
            pendingEffects.send(destination, message);
        };
    }

    @Override
    public void intend(String name, String part, Object request) {
        checkInUse();
        admin.checkAwake();
        pendingEffects.intend(name, part, request);
    }

    @Override
    public boolean isReplay() {
        return replay;
    }

    @Override
    public String effectKey(String name) {
        return EffectKeys.of(consumer, recorded, name);
    }
}
