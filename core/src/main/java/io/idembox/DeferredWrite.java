// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** A write put off by {@link HandlerContext#later}. Not thread-safe. */
public interface DeferredWrite {

    /**
     * Fails the message unless the write changes exactly that many rows.
     *
     * @throws IllegalStateException when the write was already sent, because another statement of the message was executed in between
     */
    void expect(int rows);
}
