// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.admin.Replays;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes campaigns step by step. A step is an operation with its own id, and advances the campaign in the same
 * transaction: another node that executes the same step finds it done. Thread-safe.
 */
final class CampaignRunner {

    private static final Logger log = LoggerFactory.getLogger(CampaignRunner.class);

    /** The maximum number of redriven messages in flight; their outcomes decide whether the campaign continues. */
    private static final int LATEST = Campaign.Progress.LATEST;

    /**
     * The maximum number of step ranges to search for messages that were tried; any number of unchanged messages may
     * lie between them.
     */
    private static final int MAX_RANGES = 10;

    private static final long MICROS = 1_000_000;
    private static final List<Campaign.State> STARTABLE =
            List.of(Campaign.State.PLANNED, Campaign.State.STOPPED, Campaign.State.CANCELLED);
    private static final List<Campaign.State> CANCELLABLE =
            List.of(Campaign.State.PLANNED, Campaign.State.STOPPED, Campaign.State.RUNNING);

    private final InboxStore store;
    private final CampaignStore campaigns;
    private final CommandStore commands;
    private final CommandExecutor run;
    private final OperationExecutor operations;
    private final @Nullable ReplayRunner replays;

    /** @param replays null where the database cannot replay */
    CampaignRunner(
            InboxStore store,
            CampaignStore campaigns,
            CommandStore commands,
            CommandExecutor run,
            OperationExecutor operations,
            @Nullable ReplayRunner replays) {
        this.replays = replays;
        this.store = store;
        this.campaigns = campaigns;
        this.commands = commands;
        this.run = run;
        this.operations = operations;
    }

    /** Executes what is due now; returns whether the campaign changed. */
    boolean advance(ConsumerRegistry.Known known, CampaignRow campaign) {
        if (campaign.state() != Campaign.State.RUNNING) {
            return false;
        }
        StepOutcomeCounts latest = countOutcomes(known.consumer(), campaign);
        // Failures before the last start are ignored: the operator who started it knew them.
        StepOutcomeCounts since =
                campaign.since() == 0 ? latest : countOutcomes(known.consumer(), campaign, campaign.since());
        if (since.isAbove(campaign.options().stopAbove())) {
            return stop(campaign, since);
        }
        if (campaign.isFinished()) {
            return latest.open() == 0 && finish(known.consumer(), campaign);
        }
        boolean canaryIsJudged = !campaign.isOnlyCanaryDone() || since.open() == 0;
        return campaign.isDue() && canaryIsJudged && latest.open() < LATEST && step(known, campaign);
    }

    /** Counts the outcomes of the latest messages. Only commands that try messages again have outcomes. */
    StepOutcomeCounts countOutcomes(RegisteredConsumer consumer, CampaignRow campaign) {
        return countOutcomes(consumer, campaign, 0);
    }

    private StepOutcomeCounts countOutcomes(RegisteredConsumer consumer, CampaignRow campaign, long from) {
        if (campaign.command() != Command.REDRIVE && campaign.command() != Command.REPLAY) {
            return StepOutcomeCounts.NONE;
        }
        List<Long> tried = tried(campaign, from);
        return tried.isEmpty() ? StepOutcomeCounts.NONE : campaigns.countOutcomes(consumer, tried);
    }

    /** Returns the latest messages that were tried; messages that the command left unchanged do not count. */
    private List<Long> tried(CampaignRow campaign, long from) {
        long stretch = campaign.stepSizes().covering(LATEST);
        List<Long> tried = new ArrayList<>();
        long to = campaign.position();
        for (int look = 0; look < MAX_RANGES && to > from && tried.size() < LATEST; look++) {
            long begin = Math.max(from, to - stretch);
            tried.addAll(campaigns.changed(campaign.operationIds(begin, to)));
            to = begin;
        }
        return tried;
    }

    private boolean stop(CampaignRow campaign, StepOutcomeCounts judged) {
        String why = judged.failed() + " of the " + judged.tried()
                + " latest messages failed. Fix the cause, then resume the campaign; or cancel it.";
        // Race: an operator may have started it again since it was judged. Then it is not stopped for failures they
        // know.
        boolean stopped = end(tx -> campaigns.stop(tx, campaign, why));
        if (stopped) {
            log.warn(
                    "Campaign {} of consumer {} stopped after {} of {} messages: {}",
                    campaign.id(),
                    campaign.consumer(),
                    campaign.counts().given(),
                    campaign.counts().total(),
                    why);
        }
        return stopped;
    }

    /** A replay is done when none of its messages is unfinished in the queue or in progress. */
    private boolean finish(RegisteredConsumer consumer, CampaignRow campaign) {
        if (campaign.command() == Command.REPLAY && !replays().isFinished(consumer, campaign)) {
            return false;
        }
        boolean ended = end(
                tx -> campaigns.change(tx, campaign.id(), List.of(Campaign.State.RUNNING), Campaign.State.DONE, ""));
        if (ended && campaign.command() == Command.REPLAY) {
            // Crash before this commits: a few rows are left. The next replay has another number and deletes them.
            inOwnTransaction("delete the state of a replay", tx -> {
                replays().deleteState(tx, consumer, campaign);
                return true;
            });
        }
        return ended;
    }

    private ReplayRunner replays() {
        return Objects.requireNonNull(replays, "replays");
    }

    /**
     * The operator who starts a campaign, and the preparation of a replay.
     *
     * @param preparation of a replay that has not begun
     */
    record StartRequest(Operation by, Replays.Preparation preparation) {}

    /** Starts it, in the transaction of an operation. A replay begins only once. */
    CommandResult start(Transaction tx, ConsumerRegistry.Known known, CampaignRow campaign, StartRequest startRequest) {
        boolean isReplay = campaign.command() == Command.REPLAY;
        if (isReplay) {
            ReplayRunner.refusal(known).ifPresent(why -> {
                throw new IllegalArgumentException(why);
            });
        }
        if (isReplay && campaign.state() == Campaign.State.PLANNED) {
            return replays().begin(tx, known, campaign, startRequest);
        }
        List<Campaign.State> from = isReplay ? List.of(Campaign.State.STOPPED) : STARTABLE;
        return resultOf(campaigns.start(tx, campaign.id(), from, startRequest.by()));
    }

    /** Cancels it, in the transaction of an operation. */
    CommandResult cancel(Transaction tx, ConsumerRegistry.Known known, CampaignRow campaign, String note) {
        boolean changed = campaigns.change(tx, campaign.id(), CANCELLABLE, Campaign.State.CANCELLED, note);
        if (changed && campaign.command() == Command.REPLAY) {
            replays().withdraw(tx, known, campaign);
        }
        return resultOf(changed);
    }

    private static CommandResult resultOf(boolean changed) {
        return changed ? CommandResult.DONE : CommandResult.NOT_APPLICABLE;
    }

    private boolean end(Predicate<Transaction> ending) {
        return inOwnTransaction("end a campaign", ending::test);
    }

    /** Runs in a transaction of its own. The public API does not throw {@code TransactionFailed}. */
    private <T> T inOwnTransaction(String what, Function<Transaction, T> work) {
        try (Transaction tx = store.beginAside()) {
            T result = work.apply(tx);
            // Crash here: a campaign that was to end is ended by the next process that checks it.
            tx.commit();
            return result;
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The database did not " + what + " (" + failed.kind() + "). It is safe to try again.", failed);
        }
    }

    private boolean step(ConsumerRegistry.Known known, CampaignRow campaign) {
        List<MessageVersion> messageVersion = next(known.consumer(), campaign);
        CommandExecutor.Order order = new CommandExecutor.Order(
                known, campaign.command(), messageVersion, campaign.operationOf(campaign.position()));
        try {
            OperationExecutor.Answer answer = operations.runStep(order.asked(), tx -> step(tx, order, campaign));
            if (answer.repeated()) {
                checkAdvanced(campaign);
            }
            return !answer.repeated();
        } catch (StepTakenElsewhere somebodyElses) {
            return false;
        }
    }

    /**
     * A step and the move of its campaign are committed together. A step without the move belongs to a deleted campaign
     * with the same id.
     */
    private void checkAdvanced(CampaignRow campaign) {
        boolean stands = campaigns
                .find(campaign.id())
                .filter(now -> now.position() == campaign.position())
                .isPresent();
        if (stands) {
            throw new IllegalStateException("Step " + (campaign.position() + 1) + " of campaign " + campaign.id()
                    + " was executed by an earlier campaign with the same id, whose row was deleted. Cancel it and plan"
                    + " it again with a new id.");
        }
    }

    /** Whether steps were executed under this id, by this campaign or a deleted one. */
    boolean hasSteps(CampaignRow campaign) {
        return inOwnTransaction(
                "look up a campaign",
                tx -> commands.find(tx, campaign.operationOf(0).id()).isPresent());
    }

    private List<MessageVersion> next(RegisteredConsumer consumer, CampaignRow campaign) {
        if (campaign.command() == Command.REPLAY) {
            return replays().next(consumer, campaign);
        }
        return campaigns
                .step(campaign.id(), campaign.position())
                .map(CampaignStore.Step::messageVersion)
                .orElseThrow(
                        () -> new IllegalStateException("Step " + campaign.position() + " of campaign " + campaign.id()
                                + " is missing: its row was deleted. Cancel the campaign and plan the remaining"
                                + " messages again."));
    }

    private Map<Long, TreatedMessage> step(Transaction tx, CommandExecutor.Order order, CampaignRow campaign) {
        if (!order.known().policyKnown()
                && !commands.keysOf(tx, order.consumer(), order.arrivals()).isEmpty()) {
            // Whether later messages of a key may pass depends on a policy that this node does not have.
            throw new StepTakenElsewhere();
        }
        Map<Long, TreatedMessage> treatedMessage = campaign.command() == Command.REPLAY
                ? replays().release(tx, order, campaign)
                : run.executeLocked(tx, order);
        int done = (int) treatedMessage.values().stream()
                .filter(each -> each.result() == CommandResult.DONE)
                .count();
        CampaignStore.Move move = new CampaignStore.Move(
                campaign.position() + 1, treatedMessage.size(), done, pauseAfter(campaign, treatedMessage));
        if (!campaigns.advance(tx, campaign, move)) {
            throw new StepTakenElsewhere();
        }
        return treatedMessage;
    }

    private static Duration pauseAfter(CampaignRow campaign, Map<Long, TreatedMessage> treatedMessage) {
        int rate = campaign.options().perSecond();
        return rate == 0
                ? Duration.ZERO
                : Duration.of(treatedMessage.size() * MICROS / rate, java.time.temporal.ChronoUnit.MICROS);
    }

    /**
     * Another node was faster, an operator stopped it, or only another node can execute it: the transaction is rolled
     * back.
     */
    private static final class StepTakenElsewhere extends RuntimeException {
        private static final long serialVersionUID = 1;

        StepTakenElsewhere() {
            super("The step is executed by another node", null, false, false);
        }
    }
}
