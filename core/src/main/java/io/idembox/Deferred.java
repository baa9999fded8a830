// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** A write put off by {@link HandlerContext#later}. Not thread-safe. */
public interface Deferred {

    /**
     * Fails the message unless the write changes exactly that many rows.
     *
     * @throws IllegalStateException when the write was sent before, because another statement of the message came in between
     */
    void expect(int rows);
}
