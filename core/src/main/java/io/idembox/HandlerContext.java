// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** The message being handled and the operations a handler may use. Not thread-safe; valid until the handler returns. */
public interface HandlerContext {

    String consumer();

    Message message();

    /** The identity of the message, as found by the consumer's identity strategy. */
    MessageId id();

    /** The number of this attempt: 1 for the first, counted across redeliveries. */
    int attempt();

    /**
     * The connection of the transaction that records the message. Commit, rollback and close are refused. An
     * SQLException fails the message even if the handler catches it, unless the handler rolls back to its own
     * savepoint: a partial effect is never committed.
     */
    Connection connection();

    /**
     * Defers a write to the end of the batch, where equal statements are sent to the database together. Within a
     * message and within a key the effect is the same as executing it immediately; any statement through
     * {@link #connection()} first sends the writes deferred so far. The order between different keys is not kept, so
     * use it for writes that commute across keys.
     */
    DeferredWrite later(String sql, @Nullable Object... args);

    /** Stores a result with the message; the receipt of a duplicate returns it. The last call wins. */
    void result(Payload result);

    /** Stores a JSON result with the message. */
    default void result(String json) {
        result(Payload.json(json));
    }

    /**
     * Returns a key that is the same for every attempt of this consumer at this message, and different for each name.
     * Use it as an idempotency key for a provider, or as the id of a business row or an outgoing message. A conflicting
     * payload under a known id has different keys when an operator redrives it.
     */
    String effectKey(String name);

    /**
     * Sends messages that exist if and only if this message's effect does: they are committed with it and published
     * after the commit. Rolling back to a savepoint of the handler does not remove them.
     */
    HandlerOutbox outbox();

    /**
     * Records an intent: a call to an outside system, such as a payment or a mail, committed together with this
     * message's effect. The sender registered under that name on the subscription makes the call after the commit,
     * outside any transaction, with {@link #effectKey effectKey(name)} as its idempotency key.
     *
     * @param name the name of the registered sender; at most once per message
     * @param request the request passed to the sender, written by the codec; a String is treated as JSON
     */
    default void intend(String name, Object request) {
        intend(name, "", request);
    }

    /**
     * Records one of several intents of the same name for one message, such as two mails.
     *
     * @param part distinguishes the intents and is part of the idempotency key: {@code effectKey(name + "/" + part)}
     */
    void intend(String name, String part, Object request);

    /**
     * Whether this message was handled before and is being replayed. Outgoing messages and intents of a replay are
     * suppressed unless the consumer's policy allows them.
     */
    boolean isReplay();

    /**
     * Runs a part of the work that is not repeated when the rest fails. Once the step is committed, it and its result
     * are durable, and every later attempt of this message gets the result without running the step. Stored mode only.
     *
     * <p>A step commits in its own transaction, on a second connection, and only while this worker holds the lease. If
     * the process dies before that commit, the step runs again; pass {@link Step#key()} to the system it calls. An
     * exception of the step is thrown to the handler, and the step is rolled back.
     *
     * <p>Inside a step use {@link Step#connection()}: the handler's own connection, {@link #later} and {@link #result}
     * belong to a transaction that may still be rolled back, and are refused until the step has ended.
     *
     * @param name 1 to 200 characters, unique within the message
     * @return the result of the step, from this or an earlier attempt; a tombstone when it has none
     */
    Payload step(String name, Step.Work work) throws Exception;

    /**
     * Runs a step that calls an outside system and stores the returned text. A null result is stored too: the call was
     * made and is not repeated.
     */
    default @Nullable String step(String name, Step.Call call) throws Exception {
        Payload kept = step(name, (Step.Work) step -> {
            String answer = call.call();
            if (answer != null) {
                step.result(Payload.of(answer.getBytes(StandardCharsets.UTF_8), "text/plain"));
            }
        });
        return kept.isTombstone() ? null : kept.text();
    }

    /** Runs a step that calls an outside system and stores no result. */
    default void step(String name, Step.Action action) throws Exception {
        step(name, (Step.Work) step -> action.run());
    }
}
