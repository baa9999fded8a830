// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.List;
import java.util.Optional;

/**
 * Commands over many messages: planned first, then executed in steps, with an optional canary and rate, until too many
 * messages fail.
 *
 * <pre>{@code
 * Campaigns campaigns = inbox.admin().campaigns();
 * Campaign plan = campaigns.plan(
 *         Command.REDRIVE, filter, CampaignOptions.defaults().canary(10), Operation.of("anna", "the bank is back"));
 * campaigns.start(plan.id(), Operation.of("anna", "1,204 messages, as planned"));
 * }</pre>
 *
 * <p>The plan records each selected message with its version: a message that has changed since is left unchanged. Each
 * step is an operation of its own, in one transaction with its changes. Every node that has the consumer's policy
 * continues a running campaign, so the process that started it may end, and a step that two nodes try is executed once.
 * Thread-safe.
 */
public interface Campaigns {

    /** The maximum number of messages of one campaign. */
    int LIMIT = 100_000;

    /**
     * Selects messages and changes none. The operation's id becomes the campaign's id; the same call again returns the
     * existing plan.
     *
     * @param command REDRIVE, PARK, DISCARD or RESTORE
     * @throws IllegalArgumentException when more than {@link #LIMIT} messages match, none matches, the consumer is
     *     unknown, or the id has more than 80 characters or was used for something else
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same
     *     operation
     */
    Campaign plan(Command command, Filter filter, CampaignOptions options, Operation operation);

    /**
     * Starts a campaign that is planned, stopped or cancelled. One that is running or done is left unchanged.
     *
     * @throws IllegalArgumentException when no campaign has that id
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again with the same
     *     operation
     */
    Campaign start(String id, Operation operation);

    /** Cancels a campaign; completed steps are kept. Throws the same exceptions as {@link #start}. */
    Campaign cancel(String id, Operation operation);

    /**
     * Executes the next step of a campaign in the calling thread, if one is due. Nodes that have the consumer's policy
     * do this automatically; call this to follow the progress.
     *
     * @return the campaign afterwards; unchanged when it has to wait, or when only a node with the policy of its
     *     consumer can continue it
     * @throws IllegalArgumentException when no campaign has that id
     * @throws io.idembox.StoreUnavailableException when the database does not answer; call again
     */
    Campaign advance(String id);

    /** Returns the current state of a campaign; empty when no campaign has that id. */
    Optional<Campaign> find(String id);

    /** Returns the latest campaigns, newest first. */
    List<Campaign> latest(int atMost);
}
