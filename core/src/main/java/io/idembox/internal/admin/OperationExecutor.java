// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.audit.AuditKey;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SqlStates;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.internal.engine.TransactionFailed.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does an operation once: one transaction with the row that remembers it. The same id again is answered from that row.
 * Thread-safe.
 */
final class OperationExecutor {

    private static final Logger log = LoggerFactory.getLogger(OperationExecutor.class);

    /** Each new end of the trail, for a log that is kept elsewhere. */
    private static final Logger AUDIT = LoggerFactory.getLogger("io.idembox.audit");

    /** Between the id of a campaign and the number of its step. */
    static final char STEP = '#';

    /** What these are about is not in their arrivals alone. */
    private static final Set<Command> SAID_IN_WORDS =
            EnumSet.of(Command.START, Command.CANCEL, Command.NOTE, Command.READ, Command.EDIT);

    private static final int REPEATS = 8;
    private static final String CALL_AGAIN = " Call again with the same operation id.";
    private static final String FIND_OUT =
            " Call again with the same operation id: that answers what was done, or does it.";

    private final InboxStore store;
    private final CommandStore commands;
    private final @Nullable AuditKey key;

    /** @param key what operations are sealed with; null for none */
    OperationExecutor(InboxStore store, CommandStore commands, @Nullable AuditKey key) {
        this.store = store;
        this.commands = commands;
        this.key = key;
    }

    /**
     * What somebody asked for.
     *
     * @param arrivals what it is about
     */
    record Asked(RegisteredConsumer consumer, Command command, Operation operation, Set<Long> arrivals) {

        private RecordedOperation remembered(Instant at, Map<Long, TreatedMessage> treatedMessage) {
            return new RecordedOperation(command, consumer.number(), operation, at, treatedMessage);
        }

        private boolean isSameAs(RecordedOperation before) {
            return before.command() == command
                    && before.consumer() == consumer.number()
                    && before.treatedMessage().keySet().equals(arrivals)
                    && (!SAID_IN_WORDS.contains(command)
                            || Objects.equals(before.operation().filter(), operation.filter()));
        }
    }

    /**
     * What is kept of an operation, which is the answer, the first time and every other time.
     *
     * @param repeated whether it was done before: this call changed nothing
     */
    record Answer(RecordedOperation kept, boolean repeated) {}

    /** What is to be done behind the row of the operation: what became of each arrival. */
    interface Doing {
        Map<Long, TreatedMessage> in(Transaction tx);
    }

    Answer run(Asked asked, Doing doing) {
        if (asked.operation().id().indexOf(STEP) >= 0) {
            throw new IllegalArgumentException(
                    "The id of an operation has no " + STEP + ", which names the steps of campaigns; was "
                            + asked.operation().id());
        }
        return run(asked, doing, false);
    }

    /** The same for a step of a campaign: one that was done by somebody else was done, whatever it was about. */
    Answer runStep(Asked asked, Doing doing) {
        return run(asked, doing, true);
    }

    private Answer run(Asked asked, Doing doing, boolean isStep) {
        for (int repeats = 1; ; repeats++) {
            try {
                return once(asked, doing, isStep);
            } catch (StoreUnavailableException down) {
                throw told(asked, down, CALL_AGAIN);
            } catch (TransactionFailed failed) {
                if (failed.kind() != Kind.CONTENDED || repeats > REPEATS) {
                    throw told(asked, unavailable(failed), failed.kind() == Kind.UNKNOWN ? FIND_OUT : CALL_AGAIN);
                }
                log.debug(
                        "Consumer {}: a command met a deadlock and is run again",
                        asked.consumer().name());
                LockSupport.parkNanos(ThreadLocalRandom.current()
                        .nextLong(Duration.ofMillis(5).toNanos() << Math.min(repeats, 5)));
            }
        }
    }

    private Answer once(Asked asked, Doing doing, boolean isStep) {
        try (Transaction tx = store.begin()) {
            if (!commands.open(tx, asked.remembered(Instant.EPOCH, Map.of()))) {
                RecordedOperation before = kept(tx, asked);
                return isStep ? new Answer(before, true) : repeated(asked, before);
            }
            Map<Long, TreatedMessage> treatedMessage = doing.in(tx);
            RecordedOperation kept = asked.remembered(kept(tx, asked).at(), treatedMessage);
            OperationRow.Head end = seal(tx, kept);
            // Crash here, or the answer is lost: what was changed and the operation are committed together or not at
            // all; the same operation id again finds out.
            tx.commit();
            AUDIT.info("{} {}", end.number(), end.seal());
            return new Answer(kept, false);
        }
    }

    /** The end of the trail is locked last, for a moment: all commands of all consumers meet there. */
    private OperationRow.Head seal(Transaction tx, RecordedOperation done) {
        OperationRow.Head head = commands.endOfTrail(tx);
        OperationRow next = OperationRow.of(head.number() + 1, key == null ? null : key.name(), done);
        String seal = AuditSeals.seal(key, head.seal(), next);
        commands.remember(tx, new OperationRow.Sealed(next, seal));
        return new OperationRow.Head(next.number(), seal);
    }

    /** Race: a row that was there and is not any more belonged to somebody who gave up, or was deleted: start again. */
    private RecordedOperation kept(Transaction tx, Asked asked) {
        return commands.find(tx, asked.operation().id())
                .orElseThrow(() -> new TransactionFailed(TransactionFailed.Kind.CONTENDED, null));
    }

    private static Answer repeated(Asked asked, RecordedOperation kept) {
        if (!asked.isSameAs(kept)) {
            String what = switch (kept.command()) {
                case PAUSE, RESUME -> "a consumer was to be ";
                case START, CANCEL -> "a campaign was to be ";
                case NOTE -> "something was to be ";
                default -> kept.treatedMessage().size() + " messages were to be ";
            };
            String about = kept.operation().filter() == null
                    ? ""
                    : " (" + kept.operation().filter() + ")";
            throw new IllegalArgumentException("The operation id "
                    + asked.operation().id() + " was used before, by "
                    + kept.operation().by() + " at " + kept.at() + ", and " + what
                    + kept.command().done() + " then" + about
                    + ". Nothing was changed now. Take a new id for a new decision.");
        }
        return new Answer(kept, true);
    }

    /** With advice; the cause says the same without it, for tools that have another. Who may not is not let to it by asking again. */
    private static StoreUnavailableException told(Asked asked, StoreUnavailableException down, String advice) {
        String then = SqlStates.isForbidden(down) ? " It takes " + role(asked.command()) + ": docs/roles.md." : advice;
        return new StoreUnavailableException(
                "Operation " + asked.operation().id() + " on consumer "
                        + asked.consumer().name() + ": " + down.getMessage() + then,
                down);
    }

    private static String role(Command command) {
        return switch (command) {
            case START, CANCEL -> "idembox_operator, and for a replay idembox_app as well";
            case READ, EDIT -> "idembox_operator and a right to idembox_body";
            default -> "idembox_operator";
        };
    }

    private static StoreUnavailableException unavailable(TransactionFailed failed) {
        return new StoreUnavailableException(
                switch (failed.kind()) {
                    case UNKNOWN -> "the connection went away during the commit, so nobody knows whether it was done.";
                    case BUSY ->
                        failed.inTheWay().orElse("somebody else has locked what it needs") + ". Nothing was changed.";
                    default -> "the database did not do it (" + failed.kind() + "). Nothing was changed.";
                },
                failed);
    }
}
