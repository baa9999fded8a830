// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.admin.Verdict;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does an operation once: one transaction with the row that remembers it. The same id again is answered from that row.
 * Thread-safe.
 */
final class OperationRun {

    private static final Logger log = LoggerFactory.getLogger(OperationRun.class);

    private static final int REPEATS = 8;
    private static final String CALL_AGAIN = " Call again with the same operation id.";

    private final InboxStore store;
    private final CommandStore commands;

    OperationRun(InboxStore store, CommandStore commands) {
        this.store = store;
        this.commands = commands;
    }

    /**
     * What somebody asked for.
     *
     * @param arrivals what it is about
     */
    record Asked(Consumer consumer, Command command, Operation operation, Set<Long> arrivals) {

        private Remembered remembered(Map<Long, Verdict> verdicts) {
            return new Remembered(command, consumer.number(), operation, Instant.EPOCH, verdicts);
        }

        private boolean isSameAs(Remembered before) {
            return before.command() == command
                    && before.consumer() == consumer.number()
                    && before.verdicts().keySet().equals(arrivals);
        }
    }

    /**
     * What is kept of an operation, which is the answer, the first time and every other time.
     *
     * @param repeated whether it was done before: this call changed nothing
     */
    record Answer(Remembered kept, boolean repeated) {}

    /** What is to be done behind the row of the operation: a verdict for each arrival. */
    interface Doing {
        Map<Long, Verdict> in(Transaction tx);
    }

    Answer run(Asked asked, Doing doing) {
        for (int repeats = 1; ; repeats++) {
            try {
                return once(asked, doing);
            } catch (StoreUnavailableException down) {
                throw new StoreUnavailableException(named(asked) + down.getMessage() + CALL_AGAIN, down);
            } catch (TransactionFailed failed) {
                if (failed.kind() != TransactionFailed.Kind.CONTENDED || repeats > REPEATS) {
                    throw unavailable(asked, failed);
                }
                log.debug(
                        "Consumer {}: a command met a deadlock and is run again",
                        asked.consumer().name());
                LockSupport.parkNanos(ThreadLocalRandom.current()
                        .nextLong(Duration.ofMillis(5).toNanos() << Math.min(repeats, 5)));
            }
        }
    }

    private Answer once(Asked asked, Doing doing) {
        try (Transaction tx = store.begin()) {
            if (!commands.open(tx, asked.remembered(Map.of()))) {
                return repeated(asked, kept(tx, asked));
            }
            commands.remember(tx, asked.remembered(doing.in(tx)));
            Remembered kept = kept(tx, asked);
            // Crash here, or the answer is lost: what was changed and the operation are committed together or not at
            // all; the same operation id again finds out.
            tx.commit();
            return new Answer(kept, false);
        }
    }

    /** Race: a row that was there and is not any more belonged to somebody who gave up, or was deleted: start again. */
    private Remembered kept(Transaction tx, Asked asked) {
        return commands.find(tx, asked.operation().id())
                .orElseThrow(() -> new TransactionFailed(TransactionFailed.Kind.CONTENDED, null));
    }

    private static Answer repeated(Asked asked, Remembered kept) {
        if (!asked.isSameAs(kept)) {
            String what = kept.command() == Command.PAUSE || kept.command() == Command.RESUME
                    ? "a consumer was to be "
                    : kept.verdicts().size() + " messages were to be ";
            throw new IllegalArgumentException("The operation id "
                    + asked.operation().id() + " was used before, by "
                    + kept.operation().by() + " at " + kept.at() + ", and " + what
                    + kept.command().done() + " then. Nothing was changed now. Take a new id for a new decision.");
        }
        return new Answer(kept, true);
    }

    private static String named(Asked asked) {
        return "Operation " + asked.operation().id() + " on consumer "
                + asked.consumer().name() + ": ";
    }

    private static StoreUnavailableException unavailable(Asked asked, TransactionFailed failed) {
        String what = named(asked);
        return new StoreUnavailableException(
                switch (failed.kind()) {
                    case UNKNOWN ->
                        what
                                + "the connection went away during the commit, so nobody knows whether it was done. Call again"
                                + " with the same operation id: that answers what was done, or does it.";
                    case BUSY ->
                        what
                                + "the tables of the inbox are locked by somebody. Nothing was changed; call again with the"
                                + " same operation id.";
                    default ->
                        what + "the database did not do it (" + failed.kind()
                                + "). Nothing was changed; call again with the same operation id.";
                },
                failed);
    }
}
