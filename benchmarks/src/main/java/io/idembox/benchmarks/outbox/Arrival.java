// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Message;

/**
 * A message as a target has it.
 *
 * @param key empty when there is none
 */
record Arrival(String id, String key, String payload) {

    static Arrival of(Message message) {
        return new Arrival(
                message.id().orElseThrow(),
                message.key().orElse(""),
                message.payload().text());
    }
}
