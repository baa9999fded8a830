// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import io.idembox.testkit.jdbc.DelegatingDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A DataSource that represents one process: its calls to the database and to the broker are numbered steps, and a fault
 * can be injected at one of them.
 *
 * <pre>{@code
 * FaultyDataSource first = FaultyDataSource.around(dataSource);
 * List<Step> steps = first.record(() -> deliverTo(inboxOn(first)));
 * for (FaultPlan plan : FaultPlan.enumerate(steps, Fault.all())) {
 *     FaultyDataSource process = FaultyDataSource.around(dataSource);
 *     Inbox inbox = inboxOn(process);
 *     process.inject(plan);
 *     deliverTo(inbox); // meets the fault
 *     ...               // a new process, and the redelivery
 * }
 * }</pre>
 *
 * <p>Until {@link #record} or {@link #inject} is called, all calls pass. Calls of the inbox's own threads always pass
 * and are not counted, because the time of their polls is not predictable. Wrap the pool, not the driver below a pool;
 * calls on an unwrapped driver connection are not seen. Thread-safe.
 */
public final class FaultyDataSource extends DelegatingDataSource {

    private static final String OWN_THREADS = "idembox-";

    private final Sessions sessions;
    private final Set<FaultySession> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Script script;
    private volatile boolean crashed;

    private FaultyDataSource(DataSource real) {
        super(real);
        this.sessions = new Sessions(real);
    }

    /** A new process on the given database. */
    public static FaultyDataSource around(DataSource real) {
        return new FaultyDataSource(real);
    }

    /** Counts steps from 1 again, without a fault; see {@link #steps}. */
    public void record() {
        script = new Script(List.of(), () -> {}, Duration.ZERO);
    }

    /** Runs the scenario and returns its steps. */
    public List<Step> record(Runnable scenario) {
        record();
        scenario.run();
        return steps();
    }

    /** Counts steps from 1 again and injects the faults at the planned steps. */
    public void inject(FaultPlan... plans) {
        script = new Script(List.of(plans), () -> {}, Duration.ZERO);
    }

    /**
     * Injects a fault and runs a task while the process is {@link Fault#PAUSED}. The task runs on its own thread; the
     * process continues when the task has ended, or after the limit, for example when the task waits for the process
     * itself. {@link #awaitPauseTask} returns how it ended.
     */
    public void inject(FaultPlan plan, Runnable meanwhile, Duration limit) {
        script = new Script(List.of(plan), meanwhile, limit);
    }

    /**
     * Waits until the task of the pause has ended.
     *
     * @return whether it ended before the process continued; false as well when there was no pause
     * @throws IllegalStateException when the task threw, or does not end within the limit
     */
    public boolean awaitPauseTask() {
        Script current = script;
        return current != null && current.awaitPauseTask();
    }

    /** The steps since {@link #record} or {@link #inject}. */
    public List<Step> steps() {
        Script current = script;
        return current == null ? List.of() : current.steps();
    }

    /** The step of the last fault; empty when none has happened yet. */
    public Optional<Step> faultStep() {
        Script current = script;
        return current == null ? Optional.empty() : current.faultStep();
    }

    public boolean isCrashed() {
        return crashed;
    }

    /** Crashes the process now; its sessions are cut. Also used to end a test. */
    public void crash() {
        crashed = true;
        for (FaultySession session : open) {
            session.lose();
        }
    }

    /** Wraps a delivery so that acknowledge and release are steps. */
    public Delivery delivery(Delivery delivery) {
        return new Delivery() {
            @Override
            public Message message() {
                return delivery.message();
            }

            @Override
            public boolean redelivered() {
                return delivery.redelivered();
            }

            @Override
            public void acknowledge() {
                callBroker("acknowledge", delivery::acknowledge);
            }

            @Override
            public void release(Duration notBefore) {
                callBroker("release", () -> delivery.release(notBefore));
            }
        };
    }

    /**
     * Makes a call to the broker as a step. A lost connection is an {@link UncheckedIOException} here, before the call
     * is made or after it.
     */
    public void callBroker(String what, Runnable call) {
        try {
            step(new Call(Step.Kind.ACKNOWLEDGE, what, true), null, () -> {
                call.run();
                return null;
            });
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Throwable lost) {
            throw new UncheckedIOException(new IOException("The broker was not reached, or did not answer", lost));
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return connect(real()::getConnection);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return connect(() -> real().getConnection(username, password));
    }

    private Connection connect(Connecting connecting) throws SQLException {
        checkAlive();
        Script current = scriptOfThisThread();
        Step step = current == null ? null : current.next(new Call(Step.Kind.CONNECT, "connect", false));
        injectFault(current, step, FaultPlan.When.BEFORE, null);
        FaultySession session = new FaultySession(this, sessions, connecting.connect());
        open.add(session);
        injectFault(current, step, FaultPlan.When.AFTER, session);
        return session.proxy();
    }

    /** A call to the database or the broker. */
    record Call(Step.Kind kind, String what, boolean commits) {}

    interface RealCall {
        @Nullable
        Object make() throws Throwable;
    }

    private interface Connecting {
        Connection connect() throws SQLException;
    }

    @Nullable
    Object step(Call call, @Nullable FaultySession session, RealCall real) throws Throwable {
        checkAlive();
        Script current = scriptOfThisThread();
        if (current == null) {
            return real.make();
        }
        Step step = current.next(call);
        injectFault(current, step, FaultPlan.When.BEFORE, session);
        Object answer;
        try {
            answer = real.make();
        } catch (Exception failed) {
            if (current.faultAt(step, FaultPlan.When.AFTER).isPresent()) {
                injectFault(current, step, FaultPlan.When.AFTER, session);
            }
            throw failed;
        }
        injectFault(current, step, FaultPlan.When.AFTER, session);
        return answer;
    }

    private @Nullable Script scriptOfThisThread() {
        return Thread.currentThread().getName().startsWith(OWN_THREADS) ? null : script;
    }

    private void injectFault(
            @Nullable Script current, @Nullable Step step, FaultPlan.When when, @Nullable FaultySession session)
            throws SQLException {
        if (current == null || step == null) {
            return;
        }
        Optional<Fault> planned = current.faultAt(step, when);
        if (planned.isEmpty()) {
            return;
        }
        current.recordFault(step);
        Fault fault = planned.get();
        switch (fault.kind()) {
            case GONE -> {
                crash();
                throw new ProcessGone();
            }
            case PAUSED -> current.pause();
            case CONNECTION_LOST -> {
                if (session != null) {
                    session.lose();
                }
                throw new SQLException("The connection was lost: injected", session == null ? "08001" : "08006");
            }
            case SQL_ERROR -> throw error(session, String.valueOf(fault.sqlState()));
            case COMMIT_REFUSED -> throw refusal(session, String.valueOf(fault.sqlState()));
        }
    }

    private static SQLException error(@Nullable FaultySession session, String sqlState) throws SQLException {
        return session == null ? Sessions.injected(sqlState) : session.error(sqlState);
    }

    private static SQLException refusal(@Nullable FaultySession session, String sqlState) throws SQLException {
        return session == null ? Sessions.injected(sqlState) : session.refusal(sqlState);
    }

    void remove(FaultySession session) {
        open.remove(session);
    }

    void checkAlive() {
        if (crashed) {
            throw new ProcessGone();
        }
    }
}
