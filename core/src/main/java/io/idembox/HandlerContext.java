// SPDX-License-Identifier: Apache-2.0
package io.idembox;

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
    Deferred later(String sql, @Nullable Object... args);

    /** Keeps a result with the message; a duplicate's receipt returns it. The last one wins. */
    void result(Payload result);

    /** Keeps a JSON result with the message. */
    default void result(String json) {
        result(Payload.json(json));
    }

    /**
     * A key that is the same whenever this message is handled by this consumer, and different for every name: an
     * idempotency key for a provider, an id for a business row or an outgoing message.
     */
    String effectKey(String name);
}
