// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * What a handler sends, as {@link HandlerContext#outbox()} gives it: messages that exist if and only if the handler's effect
 * does. Not thread-safe; valid until the handler returns.
 */
@FunctionalInterface
public interface HandlerOutbox {

    /**
     * Sends a message with the handler's transaction. It is written after the handlers of the batch, published by the relay
     * after the commit, and carries the same id whenever it is published.
     *
     * <p>The id is the message's own; {@link HandlerContext#effectKey} makes one that is the same whenever this message is
     * handled. The key decides the order: messages of one key are published in the order in which they were committed. The trace of the
     * handled message is continued, and its id is named as the cause, unless the message has such headers of its own.
     *
     * @param destination one that the builder of the inbox was told, see {@link Inbox.Builder#outbox}
     * @throws InboxConfigurationException when the destination is unknown, the message has no id, or one of its id was sent by
     *     this handler before; the handler has failed then, even if it catches this
     */
    void send(String destination, Message message);
}
