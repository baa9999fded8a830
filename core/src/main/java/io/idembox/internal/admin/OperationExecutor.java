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
 * Executes an operation once, in one transaction with the row that records it. The same id again is answered from that
 * row. Thread-safe.
 */
final class OperationExecutor {

    private static final Logger log = LoggerFactory.getLogger(OperationExecutor.class);

    /** Logs each new end of the audit trail, for a log that is kept elsewhere. */
    private static final Logger AUDIT = LoggerFactory.getLogger("io.idembox.audit");

    /** Separates the id of a campaign and the number of its step. */
    static final char STEP = '#';

    /** Commands whose target is not in their arrivals alone but also in their filter. */
    private static final Set<Command> COMPARED_BY_FILTER =
            EnumSet.of(Command.START, Command.CANCEL, Command.NOTE, Command.READ, Command.EDIT);

    private static final int REPEATS = 8;
    private static final String CALL_AGAIN = " Call again with the same operation id.";
    private static final String FIND_OUT =
            " Call again with the same operation id: it returns the result, or executes the operation.";

    private final InboxStore store;
    private final CommandStore commands;
    private final @Nullable AuditKey key;

    /** @param key seals operations; null to seal without a key */
    OperationExecutor(InboxStore store, CommandStore commands, @Nullable AuditKey key) {
        this.store = store;
        this.commands = commands;
        this.key = key;
    }

    /**
     * A requested operation.
     *
     * @param arrivals the messages it is for
     */
    record Request(RegisteredConsumer consumer, Command command, Operation operation, Set<Long> arrivals) {

        private RecordedOperation toRecord(Instant at, Map<Long, TreatedMessage> treatedMessage) {
            return new RecordedOperation(command, consumer.number(), operation, at, treatedMessage);
        }

        private boolean isSameAs(RecordedOperation before) {
            return before.command() == command
                    && before.consumer() == consumer.number()
                    && before.treatedMessage().keySet().equals(arrivals)
                    && (!COMPARED_BY_FILTER.contains(command)
                            || Objects.equals(before.operation().filter(), operation.filter()));
        }
    }

    /**
     * The stored operation, which is the answer to the first and to every repeated call.
     *
     * @param repeated whether it was executed before: this call changed nothing
     */
    record Answer(RecordedOperation kept, boolean repeated) {}

    /** The work of an operation, executed after its row was inserted; returns the result for each arrival. */
    interface Work {
        Map<Long, TreatedMessage> in(Transaction tx);
    }

    Answer run(Request request, Work work) {
        if (request.operation().id().indexOf(STEP) >= 0) {
            throw new IllegalArgumentException(
                    "An operation id must not contain " + STEP + ", which is reserved for steps of campaigns; was "
                            + request.operation().id());
        }
        return run(request, work, false);
    }

    /** Executes a step of a campaign. A step that another node executed counts as done, whatever its messages were. */
    Answer runStep(Request request, Work work) {
        return run(request, work, true);
    }

    private Answer run(Request request, Work work, boolean isStep) {
        for (int repeats = 1; ; repeats++) {
            try {
                return once(request, work, isStep);
            } catch (StoreUnavailableException down) {
                throw withAdvice(request, down, CALL_AGAIN);
            } catch (TransactionFailed failed) {
                if (failed.kind() != Kind.CONTENDED || repeats > REPEATS) {
                    throw withAdvice(
                            request, unavailable(failed), failed.kind() == Kind.UNKNOWN ? FIND_OUT : CALL_AGAIN);
                }
                log.debug(
                        "Consumer {}: deadlock in a command, retrying",
                        request.consumer().name());
                LockSupport.parkNanos(ThreadLocalRandom.current()
                        .nextLong(Duration.ofMillis(5).toNanos() << Math.min(repeats, 5)));
            }
        }
    }

    private Answer once(Request request, Work work, boolean isStep) {
        try (Transaction tx = store.begin()) {
            if (!commands.open(tx, request.toRecord(Instant.EPOCH, Map.of()))) {
                RecordedOperation before = kept(tx, request);
                return isStep ? new Answer(before, true) : repeatedAnswer(request, before);
            }
            Map<Long, TreatedMessage> treatedMessage = work.in(tx);
            RecordedOperation kept = request.toRecord(kept(tx, request).at(), treatedMessage);
            OperationRow.Head end = seal(tx, kept);
            // Crash here, or the answer is lost: the changes and the operation are committed together or not at all;
            // a repeated call with the same operation id finds out.
            tx.commit();
            AUDIT.info("{} {}", end.number(), end.seal());
            return new Answer(kept, false);
        }
    }

    /** The end of the trail is locked last and briefly: all commands of all consumers contend for it. */
    private OperationRow.Head seal(Transaction tx, RecordedOperation done) {
        OperationRow.Head head = commands.lockTrailEnd(tx);
        OperationRow next = OperationRow.of(head.number() + 1, key == null ? null : key.name(), done);
        String seal = AuditSeals.seal(key, head.seal(), next);
        commands.store(tx, new OperationRow.Sealed(next, seal));
        return new OperationRow.Head(next.number(), seal);
    }

    /**
     * Race: a row that existed and does not any more belonged to a transaction that rolled back, or was deleted: start
     * again.
     */
    private RecordedOperation kept(Transaction tx, Request request) {
        return commands.find(tx, request.operation().id())
                .orElseThrow(() -> new TransactionFailed(TransactionFailed.Kind.CONTENDED, null));
    }

    private static Answer repeatedAnswer(Request request, RecordedOperation kept) {
        if (!request.isSameAs(kept)) {
            String what = switch (kept.command()) {
                case PAUSE, RESUME -> "a consumer to be ";
                case START, CANCEL -> "a campaign to be ";
                case NOTE -> "something to be ";
                default -> kept.treatedMessage().size() + " messages to be ";
            };
            String about = kept.operation().filter() == null
                    ? ""
                    : " (" + kept.operation().filter() + ")";
            throw new IllegalArgumentException("The operation id "
                    + request.operation().id() + " was already used by "
                    + kept.operation().by() + " at " + kept.at() + " for " + what
                    + kept.command().done() + about
                    + ". Nothing was changed. Use a new id for a new operation.");
        }
        return new Answer(kept, true);
    }

    /**
     * Adds advice to an exception; the cause has the text without it, for tools with their own advice. A missing
     * permission is not fixed by calling again, so it gets other advice.
     */
    private static StoreUnavailableException withAdvice(
            Request request, StoreUnavailableException down, String advice) {
        String then = SqlStates.isForbidden(down)
                ? " This needs the role " + role(request.command()) + "; see docs/roles.md."
                : advice;
        return new StoreUnavailableException(
                "Operation " + request.operation().id() + " on consumer "
                        + request.consumer().name() + ": " + down.getMessage() + then,
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
                    case UNKNOWN -> "the connection was lost during the commit, so the result is unknown.";
                    case BUSY ->
                        failed.inTheWay().orElse("another transaction holds a lock that it needs")
                                + ". Nothing was changed.";
                    default -> "the database did not execute it (" + failed.kind() + "). Nothing was changed.";
                },
                failed);
    }
}
