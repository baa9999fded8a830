// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

/**
 * An operation that is interleaved with others.
 *
 * @param reorders whether later messages of a key may pass an earlier one afterwards, as after a discard
 * @param impatient whether it gives up waiting for a lock after a bounded time and does something else
 */
record Task(String name, Body body, boolean reorders, boolean impatient) {

    interface Body {
        void run(Case world, Node node) throws Exception;
    }

    static Task of(String name, Body body) {
        return new Task(name, body, false, false);
    }

    Task reordering() {
        return new Task(name, body, true, impatient);
    }

    Task givingUp() {
        return new Task(name, body, reorders, true);
    }

    /** Whether it locks whole tables, and so all that is waited for row by row. */
    boolean isMigration() {
        return name.startsWith("create-index") || name.startsWith("lock");
    }

    @Override
    public String toString() {
        return name;
    }
}
