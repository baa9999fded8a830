// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxConfigurationException;
import io.idembox.InboxException;
import io.idembox.Payload;
import io.idembox.Step;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.connection.HandlerSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Steps under a lease: each one is a transaction of its own beside the handler's, and its last statement asks whether the
 * lease is still ours. Valid: {@code step, crash, step again}. Valid: {@code step, finished, handler fails, the rest again}.
 * Invalid, and prevented: a finished step that runs again, a step that is finished without its effect or the other way
 * round, a step of a worker whose lease is gone. Not thread-safe.
 */
final class DurableSteps implements MessageSteps {

    private static final int NAME_LIMIT = 200;

    private final RegisteredConsumer consumer;
    private final Ground ground;
    private final RecordedMessage recorded;
    private final HandlerSession handlers;
    private final Set<String> called = new HashSet<>();
    private @Nullable Map<String, Payload> finished;
    private @Nullable String running;
    private @Nullable RuntimeException trouble;

    /**
     * What steps stand on.
     *
     * @param token of the lease
     * @param ddlCommits whether the database commits before a DDL statement
     */
    record Ground(StepStore store, UUID token, boolean ddlCommits) {}

    /** @param handlers the desk of the handler's own transaction, which rests while a step runs */
    DurableSteps(RegisteredConsumer consumer, Ground ground, RecordedMessage recorded, HandlerSession handlers) {
        this.consumer = consumer;
        this.ground = ground;
        this.recorded = recorded;
        this.handlers = handlers;
    }

    @Override
    public Payload run(String name, Step.Work work) throws Exception {
        if (trouble != null) {
            throw trouble;
        }
        check(name);
        Payload before = finished(name).get(name);
        if (before != null) {
            return before;
        }
        running = name;
        handlers.rest();
        try (Running step = new Running(name)) {
            step.handle(work);
            step.finish();
            return step.result;
        } finally {
            handlers.wake();
            running = null;
        }
    }

    @Override
    public @Nullable RuntimeException trouble() {
        return trouble;
    }

    private void check(String name) {
        if (name.isBlank() || name.length() > NAME_LIMIT || name.chars().anyMatch(Character::isISOControl)) {
            throw told(new InboxConfigurationException("A step's name has 1 to " + NAME_LIMIT
                    + " printable characters; was '" + name.replaceAll("\\p{Cntrl}", "?") + "'"));
        }
        if (running != null) {
            throw told(new InboxConfigurationException("The step " + name + " begins inside the step " + running
                    + ". A step is one transaction: call them one after another."));
        }
        if (!called.add(name)) {
            throw told(new InboxConfigurationException("The step " + name + " is called twice for "
                    + recorded.incoming().id() + ". The second call would get the result of the first without running:"
                    + " give it a name of its own, such as " + name + "-2."));
        }
    }

    private Map<String, Payload> finished(String name) {
        if (finished == null) {
            try {
                finished = ground.store().finished(recorded.main().arrival());
            } catch (InboxException unavailable) {
                throw told(noConnection(name, unavailable));
            }
        }
        return finished;
    }

    private StoreUnavailableException noConnection(String name, InboxException unavailable) {
        return new StoreUnavailableException(
                "The step " + name + " of " + recorded.incoming().id() + " could not begin. " + unavailable.getMessage()
                        + " Steps need a second connection per worker: if the database is up, make the pool at least"
                        + " twice as large as work.workers.",
                unavailable);
    }

    /** Kept for whoever called the handler, because handlers may swallow it. */
    private <T extends RuntimeException> T told(T what) {
        trouble = what;
        return what;
    }

    /** One step on its way. Its transaction begins when somebody needs it, so that none is open while others are called. */
    private final class Running implements Step, AutoCloseable {

        private final String name;
        private Payload result = Payload.tombstone();
        private @Nullable Transaction tx;
        private @Nullable HandlerSession admin;
        private boolean used;
        private volatile boolean returned;

        Running(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String key() {
            return EffectKeys.of(consumer, recorded, name);
        }

        @Override
        public Connection connection() {
            checkInUse();
            used = true;
            begin();
            return Objects.requireNonNull(admin).connection();
        }

        @Override
        public void result(Payload newResult) {
            checkInUse();
            result = Objects.requireNonNull(newResult, "result");
        }

        private void checkInUse() {
            if (returned) {
                throw new IllegalStateException("The step " + name + " of "
                        + recorded.incoming().id() + " has returned and cannot be used any more.");
            }
        }

        private Transaction begin() {
            if (tx == null) {
                try {
                    tx = ground.store().begin();
                } catch (TransactionFailed failed) {
                    throw told(failed);
                } catch (InboxException unavailable) {
                    throw told(noConnection(name, unavailable));
                }
                admin = new HandlerSession(tx.connection(), ground.ddlCommits(), tx.settings());
            }
            return tx;
        }

        void handle(Step.Work work) throws Exception {
            try {
                work.run(this);
            } catch (Exception thrown) {
                throwWhatEndedTheTransaction(thrown);
                throw thrown;
            } finally {
                returned = true;
                if (admin != null) {
                    admin.leave();
                }
            }
            SQLException swallowed = admin == null ? null : admin.unresolved();
            if (swallowed != null) {
                throwWhatEndedTheTransaction(swallowed);
                throw swallowed;
            }
            if (handlers.disturbance() != null) {
                throw handlers.disturbance();
            }
            restoreSettings();
        }

        private void restoreSettings() throws SQLException {
            if (admin == null) {
                return;
            }
            try {
                admin.restoreSettings();
            } catch (SQLException failed) {
                throwWhatEndedTheTransaction(failed);
                throw failed;
            }
        }

        /** What happened to the connection counts for more than what the work made of it. */
        private void throwWhatEndedTheTransaction(Exception thrown) {
            if (tx == null || admin == null || trouble != null) {
                return;
            }
            SQLException error = admin.unresolved();
            if (tx.isGone() || SqlStates.isConnectionLoss(error)) {
                throw told(over(thrown));
            }
            if (SqlStates.isContention(error)) {
                throw told(new TransactionFailed(TransactionFailed.Kind.CONTENDED, thrown, recorded.incoming()));
            }
            if (SqlStates.isLockTimeout(error)) {
                // Without its cause: three lock timeouts in a row would pass for an outage, for which nobody pays. And
                // the handler's transaction ends with it, so that its locks do not last for as many waits as it has
                // messages.
                throw told(over(new IllegalStateException(
                        "The step " + name + " of " + recorded.incoming().id()
                                + " waited for a lock in vain and was rolled back. Most likely the handler wrote that row before the"
                                + " step, in its own transaction, which cannot end before the step does: write it in the step, or"
                                + " after it. The message is tried again.")));
            }
        }

        private TransactionFailed over(Exception why) {
            return new TransactionFailed(TransactionFailed.Kind.LOST, why, recorded.incoming());
        }

        void finish() throws Exception {
            if (trouble != null) {
                throw trouble;
            }
            Transaction open = begin();
            try {
                var over = new StepStore.Finished(recorded.main().arrival(), name, result);
                if (!ground.store().finish(open, ground.token(), over)) {
                    throw new TransactionFailed(TransactionFailed.Kind.FENCED, null);
                }
                // Crash here: nothing of the step is committed; it is done again, with the same effect key.
                open.proveAndCommit();
                // Crash here: the step is finished; the lease runs out, and the next attempt gets its result.
            } catch (TransactionFailed failed) {
                if (failed.kind() == TransactionFailed.Kind.REFUSED && failed.getCause() instanceof SQLException own) {
                    throw own;
                }
                throw told(used ? failed.blaming(recorded.incoming()) : failed);
            } catch (InboxException unavailable) {
                throw told(unavailable);
            }
        }

        @Override
        public void close() {
            if (tx != null) {
                tx.close();
            }
        }
    }
}
