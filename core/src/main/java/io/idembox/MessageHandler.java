// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * What to do with one message of a type, payload already read. One instance serves all threads of its consumer.
 *
 * @param <T> what the payload codec makes of the bytes
 */
@FunctionalInterface
public interface MessageHandler<T> {

    /**
     * Does the work through {@link HandlerContext#connection()} or {@link HandlerContext#later}. Anything thrown rolls
     * it back; {@link HandlerException} has the exceptions that say what should happen next.
     */
    void handle(T payload, HandlerContext context) throws Exception;
}
