// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Campaign;
import io.idembox.admin.Operation;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Stores campaigns and their steps. Methods with a transaction join it; the others run in their own. Thread-safe. */
public interface CampaignStore {

    /** Stores a plan with its selected messages; false when its id is taken. */
    boolean plan(RegisteredConsumer consumer, CampaignRow campaign, List<Step> steps);

    Optional<CampaignRow> find(String id);

    List<CampaignRow> latest(int atMost);

    /** Returns the running campaigns of all consumers. */
    List<CampaignRow> running();

    /** Returns the messages of a step. */
    Optional<Step> step(String id, long number);

    /**
     * Advances a campaign by one step, unless another node did, or it was stopped.
     *
     * @return false when it is at another position, or not running any more
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when another transaction holds the row for longer than
     *     the bounded lock wait
     */
    boolean advance(Transaction tx, CampaignRow campaign, Move move);

    /**
     * Starts a campaign that is in one of the given states. Its further steps are executed in the name of this
     * operator, with this reason.
     *
     * @return false when it is in none of them
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when another transaction holds the row for longer than
     *     the bounded lock wait
     */
    boolean start(Transaction tx, String id, List<Campaign.State> from, Operation by);

    /**
     * Ends a campaign that is in one of the given states.
     *
     * @return false when it is in none of them
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when another transaction holds the row for longer than
     *     the bounded lock wait
     */
    boolean change(Transaction tx, String id, List<Campaign.State> from, Campaign.State to, String note);

    /**
     * Stops a campaign that is running.
     *
     * @param campaign as it was when its outcomes were counted
     * @return false when it is not running, or an operator started it again since then
     * @throws io.idembox.internal.engine.TransactionFailed BUSY as above
     */
    boolean stop(Transaction tx, CampaignRow campaign, String note);

    /** Returns the current generation of a replay; 0 when it has not begun, or the campaign is no replay. */
    int generation(Transaction tx, String id);

    /** Returns the messages that operations have changed. */
    List<Long> changed(List<String> operations);

    /** Counts the outcomes of messages that were tried again. */
    StepOutcomeCounts countOutcomes(RegisteredConsumer consumer, List<Long> arrivals);

    /**
     * The effect of a step on its campaign.
     *
     * @param to the new position of the campaign
     * @param given how many messages the step had
     * @param pause how long until the next step
     */
    record Move(long to, int given, int done, Duration pause) {}

    /** The messages of a step, each at the version that was planned. */
    record Step(List<MessageVersion> messageVersion) {

        public Step {
            messageVersion = List.copyOf(messageVersion);
        }

        List<Long> arrivals() {
            return messageVersion.stream().map(MessageVersion::arrival).toList();
        }
    }
}
