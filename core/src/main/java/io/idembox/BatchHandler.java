// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.sql.Connection;
import java.util.List;

/**
 * What to do with many messages of a type at once: the fast path for firehose streams. If it throws, the batch is
 * halved and tried again until the guilty message is alone, so it must not keep state between calls.
 *
 * @param <T> what the payload codec makes of the bytes
 */
@FunctionalInterface
public interface BatchHandler<T> {

    /**
     * Does the work of all items through the connection, in the transaction that records them.
     *
     * @param connection the guarded connection of the batch's transaction, as {@link HandlerContext#connection()}
     */
    void handle(List<Item<T>> items, Connection connection) throws Exception;

    /**
     * One message of a batch.
     *
     * @param payload what the codec made of the bytes
     * @param context the message and where its result goes
     */
    record Item<T>(T payload, HandlerContext context) {}
}
