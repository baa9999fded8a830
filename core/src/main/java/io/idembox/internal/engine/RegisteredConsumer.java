// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.ConsumerPolicy;

/**
 * A named reader and its policy.
 *
 * @param name what people call it
 * @param firstName what it was called when it was first seen; effect keys are made from it, so a rename keeps them
 * @param number what the tables call it; a rename keeps it too
 */
public record RegisteredConsumer(String name, String firstName, int number, ConsumerPolicy policy) {

    /** Whether it holds outgoing messages or intents, whose work is done outside the database. Only these names contain a slash. */
    public boolean isOutgoing() {
        return name.indexOf('/') >= 0;
    }
}
