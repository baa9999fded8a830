// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Campaign;
import io.idembox.admin.CommandResult;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Replays;
import io.idembox.internal.connection.HandlerSession;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.KeyQueue;
import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SqlStates;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.Replay;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Makes completed messages unfinished again, releases them in steps, and withdraws the rest on cancel. Thread-safe.
 *
 * <p>Locks at the beginning, in this order:
 *
 * <ol>
 * <li>The replay lock of the consumer, exclusively: no transaction handles a delivery or purges.
 * <li>The rows of the keys: a transaction that stores a message sees the replayed messages ahead of it.
 * <li>The gate: nothing is claimed.
 * <li>The leases, which are taken away: a worker that is about to settle is waited for, any other worker can no longer
 *     settle.
 * </ol>
 *
 * <p>From then until the commit no handler's work for this consumer can be committed. So the preparation and the
 * replayed messages belong to the same point in time: every message is either replayed, or unfinished and runs behind
 * the replayed ones, never both.
 */
final class ReplayRunner {

    private final InboxStore store;
    private final ReplayStore replays;
    private final CommandStore commands;
    private final CampaignStore campaigns;
    private final ConsumerRegistry consumers;

    ReplayRunner(
            InboxStore store,
            ReplayStore replays,
            CommandStore commands,
            CampaignStore campaigns,
            ConsumerRegistry consumers) {
        this.store = store;
        this.replays = replays;
        this.commands = commands;
        this.campaigns = campaigns;
        this.consumers = consumers;
    }

    ReplayStore.Contents count(RegisteredConsumer consumer, ReplayRange range) {
        return replays.count(consumer, range);
    }

    /** Returns why the messages of a consumer cannot be replayed from this node; empty when they can. */
    static Optional<String> refusal(ConsumerRegistry.Known known) {
        RegisteredConsumer consumer = known.consumer();
        if (!known.policyKnown()) {
            return Optional.of("This inbox does not have the policy of consumer " + consumer.name()
                    + ", which defines whether replays are allowed. Run the replay where the policy is configured.");
        }
        return consumer.policy().replay() == Replay.FORBIDDEN
                ? Optional.of("The policy of consumer " + consumer.name()
                        + " forbids replays (replay: forbidden, the default), because effects outside the database"
                        + " would be repeated. If its handlers only write tables, set replay: no-effects.")
                : Optional.empty();
    }

    /** Begins a replay in the transaction of an operation; an exception rolls everything back. */
    CommandResult begin(
            Transaction tx,
            ConsumerRegistry.Known known,
            CampaignRow campaign,
            CampaignRunner.StartRequest startRequest) {
        RegisteredConsumer consumer = known.consumer();
        ReplayRange range = Objects.requireNonNull(campaign.replay().range());
        // First: a concurrent cancel or start waits for this transaction, or finds the replay begun.
        if (!campaigns.start(tx, campaign.id(), List.of(Campaign.State.PLANNED), startRequest.by())) {
            return CommandResult.NOT_APPLICABLE;
        }
        replays.lockConsumer(tx, consumer);
        replays.lockKeys(tx, consumer, range);
        commands.lockGate(tx, consumer);
        checkNoRedeliveryPending(tx, consumer);
        checkNoUnfinishedReplayLeftOut(tx, consumer, range);
        replays.takeLeases(tx, consumer);
        int generation = replays.nextGeneration(tx, consumer, range);
        prepare(tx, startRequest.preparation());
        int total = replays.reopen(tx, consumer, range, generation);
        if (consumer.policy().sequence() != null) {
            Receiver receiver = consumers.receiver(consumer.name());
            replays.assignSequenceNumbers(tx, consumer, generation, receiver::placeOf);
        }
        replays.queueAhead(tx, consumer, generation, range);
        replays.recordStart(
                tx, campaign.id(), generation, total, campaign.stepSizes().count(total));
        return CommandResult.DONE;
    }

    /**
     * Refuses to leave out unfinished messages of an earlier replay: their effects would be missing in an emptied
     * table.
     */
    private void checkNoUnfinishedReplayLeftOut(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        int leftOut = replays.countLeftOut(tx, consumer, range);
        if (leftOut > 0) {
            throw new IllegalArgumentException(leftOut + " messages of an earlier replay of consumer " + consumer.name()
                    + " are unfinished and not in this range. Nothing was replayed. Wait for that replay, discard the"
                    + " messages, or replay a range that includes them.");
        }
    }

    /** Refuses a replay while messages await redelivery: those can only run as the first message of their key. */
    private void checkNoRedeliveryPending(Transaction tx, RegisteredConsumer consumer) {
        int awaited = replays.countAwaitingRedelivery(tx, consumer);
        if (awaited > 0) {
            throw new IllegalArgumentException(awaited + " messages of consumer " + consumer.name()
                    + " failed and wait for redelivery by their broker. Nothing was replayed. Wait until they are"
                    + " finished, or discard them.");
        }
    }

    private void prepare(Transaction tx, Replays.Preparation preparation) {
        HandlerSession admin = new HandlerSession(tx.connection(), store.ddlCommits(), tx.settings());
        try {
            preparation.run(admin.connection());
            SQLException unresolved = admin.unresolved();
            if (unresolved != null) {
                throw unresolved;
            }
            admin.restoreSettings();
        } catch (SQLException failed) {
            if (SqlStates.isConnectionLoss(failed)) {
                throw new TransactionFailed(TransactionFailed.Kind.LOST, failed);
            }
            if (SqlStates.isContention(failed)) {
                throw new TransactionFailed(TransactionFailed.Kind.CONTENDED, failed);
            }
            if (SqlStates.isLockTimeout(failed)) {
                throw TransactionFailed.busy(
                        "the preparation of the replay needs a lock that another transaction holds", failed);
            }
            throw new IllegalStateException(
                    "The preparation of the replay failed. Nothing was replayed or changed: " + failed.getMessage(),
                    failed);
        } finally {
            admin.leave();
        }
    }

    List<MessageVersion> next(RegisteredConsumer consumer, CampaignRow campaign) {
        return replays
                .held(
                        consumer,
                        campaign.replay().generation(),
                        campaign.stepSizes().length(campaign.position()))
                .stream()
                .map(arrival -> new MessageVersion(arrival, ""))
                .toList();
    }

    /** Releases messages in the transaction of an operation. */
    Map<Long, TreatedMessage> release(Transaction tx, CommandExecutor.Order order, CampaignRow campaign) {
        ReplayStore.Released released =
                replays.release(tx, order.consumer(), campaign.replay().generation(), order.arrivals());
        releaseNext(tx, order.consumer(), released);
        Map<Long, TreatedMessage> treatedMessage = new LinkedHashMap<>();
        for (MessageVersion each : order.messageVersion()) {
            boolean gone = released.arrivals().contains(each.arrival());
            treatedMessage.put(
                    each.arrival(),
                    new TreatedMessage(gone ? CommandResult.DONE : CommandResult.CHANGED, EntryState.WAITING));
        }
        return treatedMessage;
    }

    /**
     * Keys that another transaction holds are left to the stalled-key check: the thread that runs campaigns must not
     * block.
     */
    private void releaseNext(Transaction tx, RegisteredConsumer consumer, ReplayStore.Released released) {
        KeyQueue.Keys keys = new KeyQueue.Keys();
        released.keys().forEach(key -> keys.left(key, null));
        new KeyQueue(store, consumer).impatiently().letPass(tx, keys);
    }

    /** Whether all released messages have finished or failed. */
    boolean isFinished(RegisteredConsumer consumer, CampaignRow campaign) {
        return replays.countReleasedUnfinished(consumer, campaign.replay().generation()) == 0;
    }

    /**
     * Settles messages that were not released as they were before, and releases the messages that wait behind them.
     * Whether those may be released depends on the policy: a node without it leaves that to nodes that have it, which
     * check every few seconds.
     */
    void withdraw(Transaction tx, ConsumerRegistry.Known known, CampaignRow campaign) {
        int generation = campaigns.generation(tx, campaign.id());
        if (generation > 0) {
            ReplayStore.Released released = replays.withdraw(tx, known.consumer(), generation);
            if (known.policyKnown()) {
                releaseNext(tx, known.consumer(), released);
            }
        }
    }

    void deleteState(Transaction tx, RegisteredConsumer consumer, CampaignRow campaign) {
        replays.deleteSequencePositions(tx, consumer, campaign.replay().generation());
    }
}
