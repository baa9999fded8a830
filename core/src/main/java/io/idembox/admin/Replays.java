// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Handles completed messages again, to rebuild the data that their handlers wrote.
 *
 * <pre>{@code
 * Replays replays = inbox.admin().replays();
 * ReplayPlan plan = replays.plan(
 *         ReplayRange.of("balances"), CampaignOptions.defaults(), Operation.of("anna", "a column was added"));
 * replays.start(plan.id(), Operation.of("anna", "as planned"), connection -> truncateBalances(connection));
 * }</pre>
 *
 * <p>The policy of the consumer has to allow it. A replay begins in one transaction together with its preparation,
 * while no handler of the consumer runs on any node. From then on its messages are queued in their keys in the order of
 * arrival, and new messages wait behind those of their key. The replay is then a {@link Campaign}: nodes continue it at
 * the configured rate, it stops when too many messages fail, can be cancelled, and outlives the process that started
 * it. Ledger rows do not change: a duplicate is still a duplicate during the replay.
 *
 * <p>Needs PostgreSQL. Thread-safe.
 */
public interface Replays {

    /** Runs before the messages are handled again, in the same transaction; for example, empties a table. */
    @FunctionalInterface
    interface Preparation {

        /**
         * Must not commit. An exception rolls everything back, and nothing is replayed. After a deadlock everything is
         * rolled back and this runs again, so it must not do anything outside the transaction.
         */
        void run(Connection connection) throws SQLException;
    }

    /**
     * Computes what a replay would do, and stores the plan if it is allowed: this inbox has the policy of the consumer,
     * and the policy allows replays. The same operation again computes it again.
     *
     * @throws IllegalArgumentException when the consumer is unknown, the database does not support replays, or the id
     *     was used for something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer
     */
    ReplayPlan plan(ReplayRange range, CampaignOptions options, Operation operation);

    /** Starts a planned replay, or continues one that was stopped. */
    default Campaign start(String id, Operation operation) {
        return start(id, operation, connection -> {});
    }

    /**
     * Starts a planned replay after running its preparation, or continues one that was stopped. The preparation of a
     * replay that has begun does not run again.
     *
     * @throws IllegalArgumentException when there is no such plan, the policy no longer allows it, or messages must be
     *     redelivered by their broker first
     * @throws io.idembox.StoreUnavailableException when the database does not answer, handlers ran for too long, or
     *     another transaction held a lock that the preparation needs for too long; call again with the same operation
     */
    Campaign start(String id, Operation operation, Preparation preparation);
}
