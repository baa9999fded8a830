// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Campaign;
import io.idembox.admin.Operation;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Campaigns and what they are about. Methods with a transaction join it, the others are one of their own. Thread-safe. */
public interface CampaignStore {

    /** Keeps a plan with what was chosen; false when its id is taken. */
    boolean plan(RegisteredConsumer consumer, CampaignRow campaign, List<Step> steps);

    Optional<CampaignRow> find(String id);

    List<CampaignRow> latest(int atMost);

    /** Those that are running, of any consumer. */
    List<CampaignRow> running();

    /** What a step is about. */
    Optional<Step> step(String id, long number);

    /**
     * Moves a campaign on by a step, unless somebody else did, or stopped it.
     *
     * @return false when it is not where it was, or not running any more
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when somebody changes it for longer than the front-door wait
     */
    boolean advance(Transaction tx, CampaignRow campaign, Move move);

    /**
     * Lets a campaign run that is in one of those states. From then on it is his who says so, and why: what it does is done in his name.
     *
     * @return false when it is in none of them
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when somebody changes it for longer than the front-door wait
     */
    boolean start(Transaction tx, String id, List<Campaign.State> from, Operation by);

    /**
     * Ends a campaign that is in one of those states.
     *
     * @return false when it is not
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when somebody changes it for longer than the front-door wait
     */
    boolean change(Transaction tx, String id, List<Campaign.State> from, Campaign.State to, String note);

    /**
     * Stops a campaign that is running.
     *
     * @param campaign as it was judged
     * @return false when it is not running, or somebody let it run since then
     * @throws io.idembox.internal.engine.TransactionFailed BUSY as above
     */
    boolean stop(Transaction tx, CampaignRow campaign, String note);

    /** Which replay a campaign is, as it is now; 0 when it has not begun, or is none. */
    int generation(Transaction tx, String id);

    /** The messages that operations have changed. */
    List<Long> changed(List<String> operations);

    /** What became of messages that were tried again. */
    StepOutcomeCounts judge(RegisteredConsumer consumer, List<Long> arrivals);

    /**
     * A step of a campaign.
     *
     * @param to where the campaign is afterwards
     * @param given how many messages it was about
     * @param pause how long until the next one
     */
    record Move(long to, int given, int done, Duration pause) {}

    /** The messages of a step, each as it was seen. */
    record Step(List<MessageVersion> messageVersion) {

        public Step {
            messageVersion = List.copyOf(messageVersion);
        }

        List<Long> arrivals() {
            return messageVersion.stream().map(MessageVersion::arrival).toList();
        }
    }
}
