// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.InboxException;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Replays;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Default {@link Campaigns}: plans, starts and advances campaigns. Thread-safe. */
final class DefaultCampaigns implements Campaigns {

    private static final Logger log = LoggerFactory.getLogger(DefaultCampaigns.class);

    /** Used instead of an arrival number, because the operation concerns the campaign itself. */
    private static final long CAMPAIGN = 0;

    private static final int MAX_ID_LENGTH = 80;
    private static final int MAX_FILTER_LENGTH = 2_000;
    private static final long TIME_SLICE_NANOS = Duration.ofMillis(500).toNanos();
    private static final Duration NOT_SOON = Duration.ofDays(1);
    private static final Set<Command> SUPPORTED =
            EnumSet.of(Command.REDRIVE, Command.PARK, Command.DISCARD, Command.RESTORE);
    private final AdminStore rows;
    private final CampaignStore campaigns;
    private final ConsumerRegistry consumers;
    private final OperationExecutor operations;
    private final ReplayRefusals refusals;
    private final CampaignRunner run;

    DefaultCampaigns(
            AdminStore rows,
            CampaignStore campaigns,
            ConsumerRegistry consumers,
            OperationExecutor operations,
            ReplayRefusals refusals,
            CampaignRunner run) {
        this.refusals = refusals;
        this.rows = rows;
        this.campaigns = campaigns;
        this.consumers = consumers;
        this.operations = operations;
        this.run = run;
    }

    @Override
    public Campaign plan(Command command, Filter filter, CampaignOptions options, Operation operation) {
        if (!SUPPORTED.contains(command)) {
            throw new IllegalArgumentException(
                    "A campaign supports REDRIVE, PARK, DISCARD and RESTORE; was " + command);
        }
        checkId(operation.id());
        RegisteredConsumer consumer = consumers
                .find(filter.consumer())
                .map(ConsumerRegistry.Known::consumer)
                .orElseThrow(() -> new IllegalArgumentException(
                        "Unknown consumer " + filter.consumer() + ". Nothing was planned."));
        Optional<CampaignRow> before = campaigns.find(operation.id());
        if (before.isPresent()) {
            return requireSameDecision(
                    before.get(), planned(command, consumer, operation, options, 0, 0, CampaignRow.Replay.NONE));
        }
        List<MessageVersion> chosen = select(consumer, filter);
        List<CampaignStore.Step> steps = steps(chosen, StepSizes.of(command, options));
        CampaignRow campaign =
                planned(command, consumer, operation, options, chosen.size(), steps.size(), CampaignRow.Replay.NONE);
        checkIsNew(campaign);
        campaigns.plan(consumer, campaign, steps);
        return requireSameDecision(existing(operation.id()), campaign);
    }

    /** A campaign that is not stored yet. */
    static CampaignRow planned(
            Command command,
            RegisteredConsumer consumer,
            Operation operation,
            CampaignOptions options,
            int total,
            long steps,
            CampaignRow.Replay replay) {
        return new CampaignRow(
                command,
                consumer.name(),
                operation,
                options,
                Campaign.State.PLANNED,
                new CampaignRow.Counts(total, 0, 0),
                steps,
                0,
                0,
                Duration.ZERO,
                new CampaignRow.Times(Instant.EPOCH, Instant.EPOCH),
                null,
                replay);
    }

    /** Stores the plan of a replay, which selects its messages when it begins. */
    void store(RegisteredConsumer consumer, CampaignRow replay) {
        checkId(replay.id());
        Optional<CampaignRow> before = campaigns.find(replay.id());
        if (before.isEmpty()) {
            checkIsNew(replay);
            campaigns.plan(consumer, replay, List.of());
        }
        requireSameDecision(existing(replay.id()), replay);
    }

    /** Rejects the id of a deleted campaign: its executed steps would be taken for steps of the new one. */
    private void checkIsNew(CampaignRow campaign) {
        // Race: a concurrent call may have planned the same campaign and started it. Then its row exists.
        if (run.hasSteps(campaign) && campaigns.find(campaign.id()).isEmpty()) {
            throw new IllegalArgumentException("The id " + campaign.id()
                    + " belongs to a campaign whose row was deleted; its steps are in the audit trail. Nothing was"
                    + " planned. Use a new id.");
        }
    }

    private static void checkId(String id) {
        if (id.length() > MAX_ID_LENGTH || id.indexOf(OperationExecutor.STEP) >= 0) {
            throw new IllegalArgumentException(
                    "A campaign id has at most " + MAX_ID_LENGTH + " characters and no #; was " + id);
        }
    }

    /** Returns the campaign stored under this id, if it is the same decision. */
    private Campaign requireSameDecision(CampaignRow kept, CampaignRow asked) {
        boolean sameConsumer =
                knownOf(kept).consumer().number() == knownOf(asked).consumer().number();
        if (!sameConsumer || !kept.isSameDecisionAs(asked)) {
            String about = kept.operation().filter();
            throw new IllegalArgumentException("The id " + kept.id() + " belongs to another plan, by "
                    + kept.operation().by() + ": messages of " + kept.consumer() + " to be "
                    + kept.command().done() + (about == null ? "" : " (" + about + ")")
                    + ". Nothing was planned. Use a new id.");
        }
        return toCampaign(kept);
    }

    private List<MessageVersion> select(RegisteredConsumer consumer, Filter filter) {
        List<MessageVersion> chosen = new ArrayList<>();
        Page page = Page.first(InboxAdmin.LIMIT);
        List<InboxMessage> found;
        do {
            found = rows.findPage(consumer, filter, page);
            found.forEach(each ->
                    chosen.add(new MessageVersion(each.arrival(), each.ref().version())));
            if (chosen.size() > LIMIT) {
                throw new IllegalArgumentException("More than " + LIMIT
                        + " messages match. Nothing was planned. Narrow the filter and plan several campaigns.");
            }
            page = found.isEmpty() ? page : new Page(found.get(found.size() - 1).arrival(), page.size());
        } while (found.size() == page.size());
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("No messages match. Nothing was planned.");
        }
        return chosen;
    }

    private static List<CampaignStore.Step> steps(List<MessageVersion> chosen, StepSizes stepSizes) {
        List<CampaignStore.Step> steps = new ArrayList<>();
        int from = 0;
        while (from < chosen.size()) {
            int to = Math.min(chosen.size(), from + stepSizes.length(steps.size()));
            steps.add(new CampaignStore.Step(chosen.subList(from, to)));
            from = to;
        }
        return steps;
    }

    @Override
    public Campaign start(String id, Operation operation) {
        return start(id, operation, connection -> {});
    }

    /** @param preparation of a replay that has not begun */
    Campaign start(String id, Operation operation, Replays.Preparation preparation) {
        CampaignRow campaign = existing(id);
        if (campaign.command() == Command.REPLAY) {
            ConsumerRegistry.Known known = knownOf(campaign);
            ReplayRunner.refusal(known).ifPresent(why -> {
                refusals.refused(known, operation.selectedBy("campaign " + id), why);
                throw new IllegalArgumentException(why);
            });
        }
        CampaignRunner.StartRequest startRequest = new CampaignRunner.StartRequest(operation, preparation);
        return change(
                campaign, Command.START, operation, tx -> run.start(tx, knownOf(campaign), campaign, startRequest));
    }

    @Override
    public Campaign cancel(String id, Operation operation) {
        CampaignRow campaign = existing(id);
        String note = "Cancelled by " + operation.by() + ": " + operation.reason();
        return change(campaign, Command.CANCEL, operation, tx -> run.cancel(tx, knownOf(campaign), campaign, note));
    }

    /** A change to a campaign in the transaction of an operation. */
    private interface Change {
        CommandResult in(Transaction tx);
    }

    private Campaign change(CampaignRow campaign, Command command, Operation operation, Change change) {
        String id = campaign.id();
        RegisteredConsumer consumer = knownOf(campaign).consumer();
        String about = "campaign " + id
                + operation.filterIfAny().map(more -> ", " + more).orElse("");
        String bounded = about.substring(0, Math.min(about.length(), MAX_FILTER_LENGTH));
        OperationExecutor.Answer answer = operations.run(
                new OperationExecutor.Request(consumer, command, operation.selectedBy(bounded), Set.of(CAMPAIGN)),
                tx -> Map.of(CAMPAIGN, new TreatedMessage(change.in(tx), null)));
        if (!answer.repeated() && answer.kept().done() == 1) {
            log.info(
                    "Campaign {} of consumer {} ({} messages to be {}) was {} by {} (operation {}): {}",
                    id,
                    campaign.consumer(),
                    campaign.counts().total(),
                    campaign.command().done(),
                    command.done(),
                    operation.by(),
                    operation.id(),
                    operation.reason());
        }
        return toCampaign(existing(id));
    }

    @Override
    public Campaign advance(String id) {
        CampaignRow campaign = existing(id);
        if (advance(campaign)) {
            campaign = existing(id);
        }
        return toCampaign(campaign);
    }

    private boolean advance(CampaignRow campaign) {
        try {
            boolean moved = run.advance(knownOf(campaign), campaign);
            if (moved) {
                consumers.wake(campaign.consumer());
            }
            return moved;
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The next step of campaign " + campaign.id() + " was not executed (" + failed.kind()
                            + "). It is safe to try again.",
                    failed);
        }
    }

    /**
     * Advances for a moment every campaign whose consumer's policy this node has; returns how soon the next step may be
     * due.
     */
    Duration advanceAll() {
        Duration soonest = NOT_SOON;
        for (CampaignRow campaign : campaigns.running()) {
            if (consumers
                    .find(campaign.consumer())
                    .filter(ConsumerRegistry.Known::policyKnown)
                    .isPresent()) {
                try {
                    Duration next = advanceForTimeSlice(campaign);
                    soonest = next.compareTo(soonest) < 0 ? next : soonest;
                } catch (InboxException unavailable) {
                    log.warn(
                            "Campaign {} could not continue, will be retried: {}",
                            campaign.id(),
                            unavailable.getMessage());
                } catch (RuntimeException broken) {
                    // A broken campaign must not block the others.
                    log.error(
                            "Campaign {} cannot continue. Cancel it and plan the remaining messages again.",
                            campaign.id(),
                            broken);
                }
            }
        }
        return soonest;
    }

    /**
     * Returns how soon the next step may be due: zero if the campaign moved; a long time if it waits for the messages
     * of its last step.
     */
    private Duration advanceForTimeSlice(CampaignRow running) {
        long begin = System.nanoTime();
        CampaignRow campaign = running;
        boolean moved = false;
        while (System.nanoTime() - begin < TIME_SLICE_NANOS && advance(campaign)) {
            moved = true;
            campaign = existing(campaign.id());
        }
        if (moved) {
            return Duration.ZERO;
        }
        return campaign.isDue() || campaign.isFinished() ? NOT_SOON : campaign.dueIn();
    }

    @Override
    public Optional<Campaign> find(String id) {
        return campaigns.find(id).map(this::toCampaign);
    }

    @Override
    public List<Campaign> latest(int atMost) {
        return campaigns.latest(atMost).stream().map(this::toCampaign).toList();
    }

    private Campaign toCampaign(CampaignRow campaign) {
        return campaign.toCampaign(run.countOutcomes(knownOf(campaign).consumer(), campaign));
    }

    private CampaignRow existing(String id) {
        return campaigns.find(id).orElseThrow(() -> new IllegalArgumentException("Unknown campaign " + id + "."));
    }

    private ConsumerRegistry.Known knownOf(CampaignRow campaign) {
        return consumers
                .find(campaign.consumer())
                .orElseThrow(() -> new IllegalStateException(
                        "Consumer " + campaign.consumer() + " no longer exists in the database."));
    }
}
