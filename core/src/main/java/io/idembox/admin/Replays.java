// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Handles settled messages again, to build anew what their handlers wrote.
 *
 * <pre>{@code
 * Replays replays = inbox.admin().replays();
 * ReplayPlan plan = replays.plan(ReplayRange.of("balances"), Pace.steady(), Operation.of("anna", "a column was added"));
 * replays.start(plan.id(), Operation.of("anna", "as planned"), connection -> truncateBalances(connection));
 * }</pre>
 *
 * <p>The policy of the consumer has to allow it. A replay begins in one transaction, together with what prepares it, while no handler
 * of the consumer runs on any node. From then on its messages stand in their keys, in the order in which they came, and whatever
 * comes meanwhile waits behind those of its key. It is a {@link Campaign} then: it goes on by itself at its pace, is stopped when too many
 * fail, may be cancelled, and survives whoever began it. Marks stay as they are: a duplicate is a duplicate, also meanwhile.
 *
 * <p>Needs PostgreSQL. Thread-safe.
 */
public interface Replays {

    /** What is done just before the messages are handled again, in the same transaction: such as emptying a table. */
    @FunctionalInterface
    interface Preparation {

        /**
         * Must not commit. What it throws undoes everything, and nothing is replayed. If the database ends it for a deadlock, all is
         * undone and it is run again: so it does nothing outside of the transaction.
         */
        void run(Connection connection) throws SQLException;
    }

    /**
     * Says what a replay would do, and keeps the plan if it may be done: if the policy of the consumer was given to this inbox, and
     * allows it. The same operation again looks again.
     *
     * @throws IllegalArgumentException when the consumer is unknown, the database cannot replay, or the id was used for something
     *     else
     * @throws io.idembox.StoreUnavailableException when the database does not answer
     */
    ReplayPlan plan(ReplayRange range, CampaignOptions options, Operation operation);

    /** Lets a planned replay begin; one that was stopped goes on. */
    default Campaign start(String id, Operation operation) {
        return start(id, operation, connection -> {});
    }

    /**
     * The same, and prepares it first. One that has begun is not prepared again.
     *
     * @throws IllegalArgumentException when there is no such plan, its policy forbids it by now, or messages have to be delivered
     *     again first
     * @throws io.idembox.StoreUnavailableException when the database does not answer, handlers ran for too long, or somebody else had
     *     the tables of the preparation for too long; call again with the same operation
     */
    Campaign start(String id, Operation operation, Preparation preparation);
}
