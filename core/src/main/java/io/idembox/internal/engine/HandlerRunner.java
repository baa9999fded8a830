// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.BatchHandler;
import io.idembox.Payload;
import io.idembox.event.InboxEvent;
import io.idembox.internal.connection.HandlerSession;
import io.idembox.policy.Replay;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calls handlers inside one transaction and remembers what they returned. Not thread-safe. */
final class HandlerRunner {

    private static final String IN_A_BATCH =
            "a batch handler works on many messages with one call, which is repeated as a whole.";

    private final RegisteredConsumer consumer;
    private final HandlerSession admin;
    private final OutboxWriter outboxWriter;
    private final Map<RecordedMessage, Payload> results = new HashMap<>();
    private final Map<RecordedMessage, PendingEffects> pendingEffects = new LinkedHashMap<>();
    private final List<DefaultHandlerContext> contexts = new ArrayList<>();
    private final HandlerLifecycle handlerLifecycle;
    private final java.util.function.Consumer<InboxEvent> listener;
    private final InterruptCounter interruptCounter;
    private final boolean wasInterruptedBefore = Thread.currentThread().isInterrupted();
    private List<RecordedMessage> running = List.of();
    private List<RecordedMessage> flagged = List.of();
    private @Nullable RuntimeException trouble;

    HandlerRunner(
            RegisteredConsumer consumer,
            HandlerSession admin,
            HandlerLifecycle handlerLifecycle,
            OutboxWriter outboxWriter,
            InterruptCounter interruptCounter,
            java.util.function.Consumer<InboxEvent> listener) {
        this.interruptCounter = interruptCounter;
        this.consumer = consumer;
        this.admin = admin;
        this.handlerLifecycle = handlerLifecycle;
        this.outboxWriter = outboxWriter;
        this.listener = listener;
    }

    /** Whose messages are handled here. */
    interface HandlerLifecycle {

        /** The steps of a message that is being handled. */
        MessageSteps steps(RecordedMessage recorded, HandlerSession admin);

        /** A handler is called. */
        default void begins(HandlerCall call) {}

        /** It came back, or threw something of its own; not told when it took its worker along. */
        default void ends(HandlerCall call) {}

        /** Whether the thread was asked to stop; not known for threads of the application. */
        default StopRequest stopRequest() {
            return StopRequest.UNKNOWN;
        }
    }

    /** Whether the thread that calls handlers was asked to stop. */
    enum StopRequest {
        NO,
        /** Only the thread's interrupt flag and what the handler threw can tell. */
        UNKNOWN,
        YES
    }

    /**
     * Runs one call. A handler that met an SQLException and went on as if nothing had happened has failed all the same,
     * and it is asked right after it returned, so that it is blamed and not the next one.
     */
    void run(HandlerCall call) throws Exception {
        running = call.members();
        if (!Thread.currentThread().isInterrupted()) {
            flagged = List.of();
        }
        handlerLifecycle.begins(call);
        try {
            perform(call);
        } catch (Throwable thrown) {
            if (!HandlerErrors.isFatal(thrown) && !isStop(thrown)) {
                handlerLifecycle.ends(call);
            }
            throw thrown;
        }
        handlerLifecycle.ends(call);
        if (Thread.currentThread().isInterrupted()) {
            returnedInterrupted();
        }
    }

    /** The handler returned with the flag of its thread set. If it set the flag itself, the next message must not fail for it. */
    private void returnedInterrupted() {
        switch (handlerLifecycle.stopRequest()) {
            case NO -> {
                Thread.interrupted();
                // Race: the request may come just now, and the flag that was cleared may be its own.
                if (handlerLifecycle.stopRequest() != StopRequest.NO) {
                    Thread.currentThread().interrupt();
                }
            }
            case UNKNOWN -> {
                if (!wasInterruptedBefore && interruptCounter.areRepeated(running)) {
                    Thread.interrupted();
                } else if (flagged.isEmpty()) {
                    flagged = running;
                }
            }
            case YES -> {
                // The next handler ends early, and the batch is given back.
            }
        }
    }

    /** Whether the handler ended because its thread was asked to stop. */
    boolean isStop(Throwable thrown) {
        return switch (handlerLifecycle.stopRequest()) {
            case NO -> false;
            case YES -> isInterrupted(thrown);
            case UNKNOWN ->
                wasInterruptedBefore
                        ? isInterrupted(thrown)
                        : HandlerErrors.wasInterrupted(thrown) && !interruptCounter.areRepeated(running);
        };
    }

    /** For a thread that is known to have been asked to stop: whatever created the exception, this is its reason. */
    private static boolean isInterrupted(Throwable thrown) {
        return Thread.currentThread().isInterrupted() || HandlerErrors.isInterruption(thrown);
    }

    /** The batch is given back; if the handler interrupts its own thread, it will do so again. */
    void stopped() {
        if (handlerLifecycle.stopRequest() == StopRequest.UNKNOWN && !wasInterruptedBefore) {
            interruptCounter.count(flagged.isEmpty() ? running : flagged);
        }
    }

    private void perform(HandlerCall call) throws Exception {
        RecordedMessage first = call.members().get(0);
        try {
            if (first.incoming().task() instanceof HandlerTask.Single single) {
                admin.nextMessage(first.incoming().key());
                admin.calls(consumer.name(), first.incoming().id(), listener);
                single.work().run(contextOf(first, handlerLifecycle.steps(first, admin)));
            } else if (first.incoming().task() instanceof HandlerTask.Bulk bulk) {
                // Writes put off before and inside the call keep their place in the order of their keys.
                admin.flush();
                admin.nextMessage(null);
                admin.calls(consumer.name(), first.incoming().id(), listener);
                bulk.handler().handle(itemsOf(call), admin.connection());
                admin.flush();
            }
        } finally {
            admin.leave();
            for (DefaultHandlerContext context : contexts) {
                RuntimeException met = context.end();
                trouble = trouble == null ? met : trouble;
            }
            contexts.clear();
        }
        if (trouble != null) {
            throw trouble;
        }
        SQLException unresolved = admin.unresolved();
        if (unresolved != null) {
            throw unresolved;
        }
        admin.restoreSettings();
    }

    private List<BatchHandler.Item<Object>> itemsOf(HandlerCall call) {
        List<BatchHandler.Item<Object>> items = new ArrayList<>(call.members().size());
        for (RecordedMessage member : call.members()) {
            if (member.incoming().task() instanceof HandlerTask.Bulk bulk) {
                items.add(new BatchHandler.Item<>(bulk.payload(), contextOf(member, MessageSteps.refused(IN_A_BATCH))));
            }
        }
        return items;
    }

    private DefaultHandlerContext contextOf(RecordedMessage recorded, MessageSteps own) {
        PendingEffects out = new PendingEffects(outboxWriter, consumer, recorded, leavesEffectsOut(recorded));
        pendingEffects.put(recorded, out);
        DefaultHandlerContext context = new DefaultHandlerContext(
                consumer, recorded, admin, result -> results.put(recorded, result), own, out, recorded.isReplay());
        contexts.add(context);
        return context;
    }

    /** What happens outside the database happens once, unless the policy says that it may happen again. */
    private boolean leavesEffectsOut(RecordedMessage recorded) {
        return leavesEffectsOut(consumer, recorded);
    }

    static boolean leavesEffectsOut(RegisteredConsumer consumer, RecordedMessage recorded) {
        return recorded.isReplay() && consumer.policy().replay() != Replay.ALLOWED;
    }

    /**
     * Writes what the handlers sent and intended, after all of them and sorted, so that the rows of keys are locked for a
     * moment only.
     *
     * @param endings how the messages of the batch ended; those that failed for good may be somebody's dead letters
     * @return the numbers of the consumers inside that got something
     */
    Set<Integer> dispatch(Transaction tx, List<MessageResult> endings) {
        List<OutgoingMessage> all = new ArrayList<>();
        pendingEffects.values().forEach(out -> all.addAll(out.departures()));
        consumer.policy()
                .outgoing()
                .deadLettersIfAny()
                .ifPresent(destination -> endings.stream()
                        .filter(ending ->
                                ending.isFinal() && ending.isReadable() && !leavesEffectsOut(ending.recorded()))
                        .forEach(ending -> all.add(outboxWriter.deadLetter(destination, consumer, ending))));
        return all.isEmpty() ? Set.of() : outboxWriter.write(tx, all);
    }

    /** How many effects outside the database were left out, because their message is replayed. */
    int suppressed() {
        return pendingEffects.values().stream().mapToInt(PendingEffects::left).sum();
    }

    /** Sends the writes that handlers put off. */
    void flush() throws SQLException {
        admin.flush();
    }

    /** Everything since the last savepoint is undone. */
    void forget(HandlerCall call) {
        trouble = null;
        admin.startOver();
        call.members().forEach(recorded -> {
            results.remove(recorded);
            pendingEffects.remove(recorded);
        });
    }

    void forgetAll() {
        trouble = null;
        admin.startOver();
        results.clear();
        pendingEffects.clear();
    }

    /** The error a handler met and did not undo; null when there is none. */
    @Nullable
    SQLException unresolved() {
        return admin.unresolved();
    }

    /** What a handler met in its steps, whether or not it threw it on; null when there is nothing. */
    @Nullable
    RuntimeException trouble() {
        return trouble;
    }

    @Nullable
    Payload resultOf(RecordedMessage recorded) {
        return results.get(recorded);
    }
}
