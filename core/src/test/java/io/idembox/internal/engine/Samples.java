// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.internal.guard.HandlerDesk;
import io.idembox.internal.guard.TransactionSettings;
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
    static final Job WORK = new Job.Single(context -> {});

    private Samples() {}

    static Candidate candidate(int nth, Job job) {
        return candidate(nth, new MessageId("/orders", "evt-" + nth), null, job);
    }

    static Candidate candidate(int nth, MessageId id, @Nullable MessageId otherId, Job job) {
        return new Candidate(nth, Message.of(id.id(), "OrderPlaced", "{}"), id, otherId, VARIANT, null, job);
    }

    static Candidate keyed(int nth, String key, Job job) {
        Candidate candidate = candidate(nth, job);
        return new Candidate(nth, candidate.message().keyed(key), candidate.id(), null, VARIANT, null, job);
    }

    static Found found(Candidate candidate) {
        return found(candidate, null);
    }

    static Found found(Candidate candidate, @Nullable Claim claim) {
        return Found.ours(
                candidate, List.of(new Found.Hold(candidate.id(), 2_048L + candidate.nth(), claim, claim == null)));
    }

    static Failure failure(Failure.Kind kind) {
        return new Failure(kind, "SomeError", null, "it broke", null);
    }

    /** A place for handlers that touch no database. */
    static Workplace workplace() {
        return new Workplace(
                new Consumer("billing", "billing", 1, ConsumerPolicy.defaults()),
                desk(),
                (found, desk) -> Steps.refused("it is a test."),
                Mailroom.closed(store(new ArrayList<>())),
                new Interrupts(),
                event -> {});
    }

    static HandlerDesk desk() {
        Connection unused = fake(Connection.class, call -> {
            throw new AssertionError("No handler here uses the connection, yet " + call + " was called");
        });
        return new HandlerDesk(unused, false, fake(TransactionSettings.class, call -> call));
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
