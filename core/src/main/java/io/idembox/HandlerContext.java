// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What a handler knows about its message and what it may use. Not thread-safe; valid until the handler returns.
 */
public interface HandlerContext {

    String consumer();

    Message message();

    /** Who the message is, as the consumer's identity strategy found it. */
    MessageId id();

    /** 1 for the first try, counted over redeliveries. */
    int attempt();

    /**
     * The connection of the transaction that records the message. Commit, rollback and close are refused, and an
     * SQLException that was not undone by rolling back to a savepoint of your own fails the message even when you
     * catch it: half an effect is never committed.
     */
    Connection connection();

    /**
     * Puts a write off until the end of the batch, where equal statements go to the database together. Within a message
     * and within a key it is as if it had been executed at once; any statement through {@link #connection()} sends the
     * writes put off so far first. Between different keys the order is not kept, so use it for writes that commute
     * across keys.
     */
    DeferredWrite later(String sql, @Nullable Object... args);

    /** Keeps a result with the message; a duplicate's receipt returns it. The last one wins. */
    void result(Payload result);

    /** Keeps a JSON result with the message. */
    default void result(String json) {
        result(Payload.json(json));
    }

    /**
     * A key that is the same whenever this message is handled by this consumer, and different for every name: an
     * idempotency key for a provider, an id for a business row or an outgoing message. Another payload under a known id
     * that somebody redrives has keys of its own.
     */
    String effectKey(String name);

    /**
     * Sends messages that exist if and only if this message's effect does: they are committed with it, and published after
     * that. A savepoint of your own that you roll back to does not take them back.
     */
    HandlerOutbox outbox();

    /**
     * Records something to be done outside the database, such as a payment or a mail, together with this message's effect. The sender
     * that was registered under that name on the subscription does it after the commit, outside any transaction, with {@link
     * #effectKey effectKey(name)} as its idempotency key.
     *
     * @param name as it was registered; each one at most once per message
     * @param request what the sender gets, written by the codec; a String is taken for JSON
     */
    default void intend(String name, Object request) {
        intend(name, "", request);
    }

    /**
     * The same for something that is to be done several times for one message, such as two mails.
     *
     * @param part tells them apart, and is part of the idempotency key: {@code effectKey(name + "/" + part)}
     */
    void intend(String name, String part, Object request);

    /**
     * Whether this message was handled before and is replayed: then nothing is sent, and nothing intended goes out, unless the policy
     * of the consumer allows that too.
     */
    boolean isReplay();

    /**
     * Does a part of the work that is not repeated when the rest fails: once the step is finished, it and its result are
     * durable, and every later try of this message gets the result without running it. Stored mode only.
     *
     * <p>A step is committed in a transaction of its own, on a second connection, and only while the message is still ours:
     * a worker that lost its lease finishes no step. It is done again when the process dies before that commit, so whoever
     * it calls gets {@link Step#key()}. What it throws reaches the handler, and nothing of the step is kept.
     *
     * <p>Inside a step use {@link Step#connection()}: the handler's own connection, {@link #later} and {@link #result}
     * belong to a transaction that may still be rolled back, and are refused until the step is over.
     *
     * @param name 1 to 200 characters, each name once per message
     * @return the result of the step, now or then; a tombstone when it has none
     */
    Payload step(String name, Step.Work work) throws Exception;

    /**
     * A step that calls somebody and keeps the text that was answered. Null is kept too: the call was made, and must not be
     * made again because of what it answered.
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

    /** A step that calls somebody and keeps no result. */
    default void step(String name, Step.Action action) throws Exception {
        step(name, (Step.Work) step -> action.run());
    }
}
