// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * Handles one message of a type, with the payload already read. All threads of the consumer share one instance.
 *
 * @param <T> the type that the payload codec reads
 */
@FunctionalInterface
public interface MessageHandler<T> {

    /**
     * Writes the effect through {@link HandlerContext#connection()} or {@link HandlerContext#later}. Any exception
     * rolls it back; throw a {@link HandlerException} to choose what happens next.
     */
    void handle(T payload, HandlerContext context) throws Exception;
}
