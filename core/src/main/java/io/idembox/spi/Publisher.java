// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Message;
import java.util.List;

/** Publishes messages of the outbox to a broker. Implemented by broker adapters. Thread-safe. */
public interface Publisher extends AutoCloseable {

    /**
     * Publishes messages to a destination, and returns when the broker has confirmed or refused each of them. If the
     * destination is ordered, no two messages of one call have the same key, so their order does not matter: the relay
     * waits for a message before it passes the next one of its key. A message may be passed again, with the same source
     * and id, after a crash or a lost confirmation.
     *
     * <p>An exception counts as {@link PublishResult.Failed} for all messages. May be called from several threads at
     * once.
     *
     * @return one result per message, in the same order; confirmed only when the broker has stored the message durably
     * @throws InterruptedException when the relay stops
     */
    List<PublishResult> publish(String destination, List<Message> messages) throws InterruptedException;

    /** Called when the inbox is closed, after the last {@link #publish} has returned. */
    @Override
    default void close() {}
}
