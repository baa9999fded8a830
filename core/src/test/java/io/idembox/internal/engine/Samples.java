// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.internal.connection.HandlerSession;
import io.idembox.internal.connection.TransactionSettings;
import io.idembox.policy.ConsumerPolicy;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Messages and failures that only differ in what a test is about. */
final class Samples {

    static final UUID VARIANT = new UUID(1, 2);
    static final HandlerTask WORK = new HandlerTask.Single(context -> {});

    private Samples() {}

    static IncomingMessage candidate(int nth, HandlerTask task) {
        return candidate(nth, new MessageId("/orders", "evt-" + nth), null, task);
    }

    static IncomingMessage candidate(int nth, MessageId id, @Nullable MessageId otherId, HandlerTask task) {
        return new IncomingMessage(nth, Message.of(id.id(), "OrderPlaced", "{}"), id, otherId, VARIANT, null, task);
    }

    static IncomingMessage keyed(int nth, String key, HandlerTask task) {
        IncomingMessage incoming = candidate(nth, task);
        return new IncomingMessage(nth, incoming.message().keyed(key), incoming.id(), null, VARIANT, null, task);
    }

    static RecordedMessage found(IncomingMessage incoming) {
        return found(incoming, null);
    }

    static RecordedMessage found(IncomingMessage incoming, @Nullable EntrySnapshot snapshot) {
        return RecordedMessage.ours(
                incoming,
                List.of(new RecordedMessage.Hold(incoming.id(), 2_048L + incoming.nth(), snapshot, snapshot == null)));
    }

    static Failure failure(Failure.Kind kind) {
        return new Failure(kind, "SomeError", null, "it broke", null);
    }

    /** A place for handlers that touch no database. */
    static HandlerRunner workplace() {
        return new HandlerRunner(
                new RegisteredConsumer("billing", "billing", 1, ConsumerPolicy.defaults()),
                desk(),
                (recorded, admin) -> MessageSteps.refused("it is a test."),
                OutboxWriter.closed(store(new ArrayList<>())),
                new InterruptCounter(),
                event -> {});
    }

    static HandlerSession desk() {
        Connection unused = fake(Connection.class, call -> {
            throw new AssertionError("No handler here uses the connection, yet " + call + " was called");
        });
        return new HandlerSession(unused, false, fake(TransactionSettings.class, call -> call));
    }

    /** A store that writes down what it is asked for, and has nothing. */
    static InboxStore store(List<String> asked) {
        return fake(InboxStore.class, call -> {
            asked.add(call);
            throw new IllegalStateException("There is no database here");
        });
    }

    /** A transaction that is never gone and writes down what it is told. */
    static Transaction transaction(List<String> told) {
        return fake(Transaction.class, call -> {
            told.add(call);
            return false;
        });
    }

    private static <T> T fake(Class<T> type, Function<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            Object answer = answers.apply(method.getName());
            return method.getReturnType() == void.class ? null : answer;
        }));
    }
}
