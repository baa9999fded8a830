// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Message;
import java.util.List;

/** Brings messages to a broker. What a broker adapter implements for the outbox. Thread-safe. */
public interface Publisher extends AutoCloseable {

    /**
     * Publishes messages to a destination, and returns when the broker has confirmed or refused each of them. Where the
     * destination keeps order no two of them have the same key, so that their order does not matter: whoever calls waits for a
     * message before it brings the next one of its key. A message may come again, with the same source and id: after a crash, or when its confirmation was lost.
     *
     * <p>What is thrown counts as a failure of all of them that may pass. It may be called from several threads at once.
     *
     * @return one for each message, in their order; a message is called confirmed only when the broker has it for good
     * @throws InterruptedException when the relay stops
     */
    List<PublishResult> publish(String destination, List<Message> messages) throws InterruptedException;

    /** Called when the inbox is closed and nothing is being published any more. */
    @Override
    default void close() {}
}
