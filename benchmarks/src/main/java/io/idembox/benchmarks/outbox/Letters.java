// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Workload;

/** What is sent: the messages of every suite, with keys that several of them share, or without. */
final class Letters {

    /** So that a backlog has several messages of each. */
    static final int KEYS = 500;

    private Letters() {}

    static Message keyed(Message message) {
        int account = Integer.parseInt(message.key().orElseThrow());
        return unkeyed(message).keyed("customer-" + account % KEYS);
    }

    static Message unkeyed(Message message) {
        return Message.of(message.id().orElseThrow(), Workload.TYPE, message.payload())
                .from(Workload.SOURCE);
    }
}
