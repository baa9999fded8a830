// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.List;
import java.util.Optional;

/**
 * Commands for very many messages: planned, then done step by step, with a canary, at a rate, until too many fail.
 *
 * <pre>{@code
 * Campaigns campaigns = inbox.admin().campaigns();
 * Campaign plan = campaigns.plan(
 *         Command.REDRIVE, filter, Pace.steady().canary(10), Operation.of("anna", "the bank is back"));
 * campaigns.start(plan.id(), Operation.of("anna", "1,204 messages, as planned"));
 * }</pre>
 *
 * <p>What was chosen is kept with the plan, message by message, each as it was then: one that has changed since is left alone. A
 * step is an operation of its own, in one transaction with what it changes. So it does not matter who goes on: every node that has
 * the consumer does, whoever started it may go away, and two who do the same step do it once. Thread-safe.
 */
public interface Campaigns {

    /** The most messages of one campaign. */
    int LIMIT = 100_000;

    /**
     * Chooses messages and changes nothing. The operation's id is the campaign's; the same again answers the plan that is there.
     *
     * @param command REDRIVE, PARK, DISCARD or RESTORE
     * @throws IllegalArgumentException when more than {@link #LIMIT} match, none does, the consumer is unknown, the id has more than 80
     *     characters, or it was used for something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same operation
     */
    Campaign plan(Command command, Filter filter, CampaignOptions options, Operation operation);

    /**
     * Lets a campaign run that was planned, stopped or cancelled. One that is running or done is left as it is.
     *
     * @throws IllegalArgumentException when there is none with that id
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same operation
     */
    Campaign start(String id, Operation operation);

    /** Gives a campaign up; what was done stays done. See {@link #start} for what is thrown. */
    Campaign cancel(String id, Operation operation);

    /**
     * Does the next step of a campaign here and now, if there is one to be done. Nodes that have the consumer do so by themselves;
     * this is for whoever wants to watch.
     *
     * @return the campaign as it is then; the same as before when it has to wait, or when only a node with the policy of its consumer
     *     may go on
     * @throws IllegalArgumentException when there is none with that id
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again
     */
    Campaign advance(String id);

    /** A campaign as it is now; empty when there is none with that id. */
    Optional<Campaign> find(String id);

    /** The latest campaigns, the newest first. */
    List<Campaign> latest(int atMost);
}
