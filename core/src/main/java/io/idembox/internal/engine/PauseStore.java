// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.Optional;

/** Which consumers stand still on all nodes because somebody said so. Thread-safe. */
public interface PauseStore {

    /** Stops claims of a consumer on all nodes from now on; false when it was paused before. */
    boolean pause(Transaction tx, RegisteredConsumer consumer, String by, String reason);

    /** Lets a consumer go on; false when it was not paused. */
    boolean resume(Transaction tx, RegisteredConsumer consumer);

    /** Who paused a consumer and why, in words; empty when nobody did. Asks the database, so it tells that it is there. */
    Optional<String> find(RegisteredConsumer consumer);
}
