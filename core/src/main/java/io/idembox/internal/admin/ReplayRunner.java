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
 * Brings settled messages back, lets them go bit by bit, and gives up what is left. Thread-safe.
 *
 * <p>Locks of the beginning, in this order: the door of the consumer, behind which nobody handles a delivery or forgets; the rows of
 * the keys, so that whoever stores sees those that are put in front of him; the gate, so that nobody claims; the leases, which are
 * taken away: whoever is about to settle is waited for, and whoever is not cannot. From then until the commit no handler's work for
 * this consumer can be committed. So what prepares the replay and what is brought back are of one moment: every message is among those that are
 * replayed, or is unfinished and will run behind them, and none is both.
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

    /** Why the messages of a consumer may not be replayed from here; empty when they may. */
    static Optional<String> whyNot(ConsumerRegistry.Known known) {
        RegisteredConsumer consumer = known.consumer();
        if (!known.policyKnown()) {
            return Optional.of("This inbox was not given the policy of consumer " + consumer.name()
                    + ", which says whether its messages may be replayed.");
        }
        return consumer.policy().replay() == Replay.FORBIDDEN
                ? Optional.of("The policy of consumer " + consumer.name()
                        + " forbids replays (replay: forbidden, which is the default): what its handlers do outside their"
                        + " tables would be done again. If they only write tables, say replay: no-effects.")
                : Optional.empty();
    }

    /** Begins in the transaction of an operation; what is thrown undoes everything. */
    CommandResult begin(Transaction tx, ConsumerRegistry.Known known, CampaignRow campaign, CampaignRunner.Go go) {
        RegisteredConsumer consumer = known.consumer();
        ReplayRange range = Objects.requireNonNull(campaign.replay().range());
        // First of all: whoever cancels it, or begins it as well, waits until we are through or finds it begun.
        if (!campaigns.start(tx, campaign.id(), List.of(Campaign.State.PLANNED), go.by())) {
            return CommandResult.NOT_APPLICABLE;
        }
        replays.closeDoor(tx, consumer);
        replays.lockKeys(tx, consumer, range);
        commands.gate(tx, consumer);
        checkNobodyIsAwaited(tx, consumer);
        checkNothingIsLeftOut(tx, consumer, range);
        replays.takeLeases(tx, consumer);
        int generation = replays.nextGeneration(tx, consumer, range);
        prepare(tx, go.preparation());
        int total = replays.bringBack(tx, consumer, range, generation);
        if (consumer.policy().sequence() != null) {
            Receiver receiver = consumers.receiver(consumer.name());
            replays.place(tx, consumer, generation, receiver::placeOf);
        }
        replays.putInFront(tx, consumer, generation, range);
        replays.begun(tx, campaign.id(), generation, total, campaign.strides().count(total));
        return CommandResult.DONE;
    }

    /** What an earlier replay brought back and nobody finished has no effect in a table that was emptied for it. */
    private void checkNothingIsLeftOut(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        int leftOut = replays.leftOut(tx, consumer, range);
        if (leftOut > 0) {
            throw new IllegalArgumentException(leftOut + " messages of an earlier replay of consumer " + consumer.name()
                    + " are not finished, and this one does not take them in. Nothing was replayed; let that one end,"
                    + " discard them, or replay a range that they are in.");
        }
    }

    /** One that has to be delivered again is taken only while it is the first of its key. */
    private void checkNobodyIsAwaited(Transaction tx, RegisteredConsumer consumer) {
        int awaited = replays.awaited(tx, consumer);
        if (awaited > 0) {
            throw new IllegalArgumentException(awaited + " messages of consumer " + consumer.name()
                    + " failed and have to be delivered again by their broker first. Nothing was replayed; wait until they"
                    + " are through, or discard them.");
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
                        "what prepares the replay waits for a lock that somebody else has", failed);
            }
            throw new IllegalStateException(
                    "What prepares the replay failed, so nothing was replayed and nothing is changed: "
                            + failed.getMessage(),
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
                        campaign.strides().length(campaign.position()))
                .stream()
                .map(arrival -> new MessageVersion(arrival, ""))
                .toList();
    }

    /** Lets some go in the transaction of an operation. */
    Map<Long, TreatedMessage> letGo(Transaction tx, CommandExecutor.Order order, CampaignRow campaign) {
        ReplayStore.Let let =
                replays.letGo(tx, order.consumer(), campaign.replay().generation(), order.arrivals());
        letPass(tx, order.consumer(), let);
        Map<Long, TreatedMessage> treatedMessage = new LinkedHashMap<>();
        for (MessageVersion each : order.messageVersion()) {
            boolean gone = let.arrivals().contains(each.arrival());
            treatedMessage.put(
                    each.arrival(),
                    new TreatedMessage(gone ? CommandResult.DONE : CommandResult.CHANGED, EntryState.WAITING));
        }
        return treatedMessage;
    }

    /** A key that somebody has is left to those who look for stragglers: campaigns go on in a thread that has more to do. */
    private void letPass(Transaction tx, RegisteredConsumer consumer, ReplayStore.Let let) {
        KeyQueue.Keys keys = new KeyQueue.Keys();
        let.keys().forEach(key -> keys.left(key, null));
        new KeyQueue(store, consumer).impatiently().letPass(tx, keys);
    }

    /** Whether all that were let go have ended, well or not. */
    boolean isThrough(RegisteredConsumer consumer, CampaignRow campaign) {
        return replays.left(consumer, campaign.replay().generation()) == 0;
    }

    /**
     * What is still held is settled as it was before; whoever waits behind it may go. Whether that is so depends on the policy: who
     * was not given it leaves that to those who were, and who look every few seconds.
     */
    void withdraw(Transaction tx, ConsumerRegistry.Known known, CampaignRow campaign) {
        int generation = campaigns.generation(tx, campaign.id());
        if (generation > 0) {
            ReplayStore.Let let = replays.withdraw(tx, known.consumer(), generation);
            if (known.policyKnown()) {
                letPass(tx, known.consumer(), let);
            }
        }
    }

    void forget(Transaction tx, RegisteredConsumer consumer, CampaignRow campaign) {
        replays.forget(tx, consumer, campaign.replay().generation());
    }
}
