// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * The outbox of a handler, see {@link HandlerContext#outbox()}: its messages exist if and only if the handler's effect
 * does. Not thread-safe; valid until the handler returns.
 */
@FunctionalInterface
public interface HandlerOutbox {

    /**
     * Sends a message in the handler's transaction. It is written after the handlers of the batch and published by the
     * relay after the commit, with the same id each time it is published.
     *
     * <p>The caller chooses the id; {@link HandlerContext#effectKey} returns one that is the same for every attempt.
     * Messages of one key are published in the order of their commits. The trace of the handled message is continued,
     * and its id is added as the cause, unless the message already has these headers.
     *
     * @param destination a destination configured on the builder of the inbox, see {@link Inbox.Builder#outbox}
     * @throws InboxConfigurationException when the destination is unknown, the message has no id, or this handler
     *     already sent a message with that id; the message then fails even if the handler catches the exception
     */
    void send(String destination, Message message);
}
