// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Payload;
import java.util.Map;
import java.util.UUID;

/** Steps that are finished before their message is. Thread-safe. */
public interface StepStore {

    /**
     * Begins the transaction of a step on a connection of its own. It waits for locks for a few seconds only: the row it
     * wants may be one that the handler's transaction holds, and no database sees that as a deadlock.
     */
    Transaction begin();

    /** What earlier tries of an entry have finished, by name; a tombstone where there is no result. */
    Map<String, Payload> finished(long arrival);

    /**
     * Writes that a step is finished, which the lease has to allow: its row is locked until the commit, so nobody takes it
     * away in between.
     *
     * @return false when the lease is gone; then the transaction must not commit
     */
    boolean finish(Transaction tx, UUID token, Finished step);

    /** A step that is over. */
    record Finished(long arrival, String name, Payload result) {}
}
