// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

/** What the peer calls for each message, by its own means: a method whose arguments it has kept. */
interface Post {

    /** Brings a message to its target, and returns when that has confirmed it. */
    void bring(String id, String key, String payload);
}
