// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** A write deferred by {@link HandlerContext#later}. Not thread-safe. */
public interface DeferredWrite {

    /**
     * Fails the message unless the write changes exactly this number of rows.
     *
     * @throws IllegalStateException when the write was already sent because the handler executed another statement in
     *     between
     */
    void expect(int rows);
}
