// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.sql.Connection;
import java.util.List;

/**
 * Handles many messages of a type in one call, for high-volume streams. If it throws, the batch is halved and retried
 * until the failing message is alone, so a handler must not keep state between calls.
 *
 * @param <T> the type that the payload codec reads
 */
@FunctionalInterface
public interface BatchHandler<T> {

    /**
     * Applies the effects of all items through the connection, in the transaction that records the messages.
     *
     * @param connection the guarded connection of the batch's transaction, as {@link HandlerContext#connection()}
     */
    void handle(List<Item<T>> items, Connection connection) throws Exception;

    /**
     * One message of a batch.
     *
     * @param payload the payload as read by the codec
     * @param context the message, and the methods to set its result
     */
    record Item<T>(T payload, HandlerContext context) {}
}
