// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** A write put off by {@link HandlerContext#later}. Not thread-safe. */
public interface Deferred {

    /** Fails the message unless the write changes exactly that many rows. */
    void expect(int rows);
}
