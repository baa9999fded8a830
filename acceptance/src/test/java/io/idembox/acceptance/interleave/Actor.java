// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a case, on a thread of its own, whose statements are counted. It may execute statements up to a limit and
 * stops before the next one. Thread-safe.
 */
final class Actor {

    /** What an actor is doing, as far as a scheduler has to know. */
    enum State {
        STOPPED,
        BLOCKED,
        ENDED
    }

    interface Body {
        void run() throws Exception;
    }

    /** An operation that takes longer than this is stuck. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    private final String name;
    private final Ground ground;
    private final DataSource dataSource;
    private final List<String> statements = new ArrayList<>();
    private final Set<Integer> sessions = new HashSet<>();
    private @Nullable Thread thread;
    private int limit;
    private boolean stopped;
    private boolean ended;
    private @Nullable Throwable thrown;

    Actor(String name, Ground ground) {
        this.name = name;
        this.ground = ground;
        this.dataSource = new SteppedDataSource(ground.dataSource(), this);
    }

    String name() {
        return name;
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** Begins, and may execute so many statements. */
    synchronized void start(Body body, int statementsAllowed) {
        limit = statementsAllowed;
        thread = new Thread(() -> run(body), "actor-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Body body) {
        Throwable failure = null;
        try {
            body.run();
        } catch (Throwable any) {
            failure = any;
        }
        synchronized (this) {
            thrown = failure;
            ended = true;
            notifyAll();
        }
    }

    /** Called before each statement; what other threads do with the same data source is not counted. */
    synchronized void before(String statement) {
        if (Thread.currentThread() != thread) {
            return;
        }
        statements.add(statement);
        boolean interrupted = false;
        while (statements.size() > limit) {
            stopped = true;
            notifyAll();
            try {
                wait();
            } catch (InterruptedException asked) {
                interrupted = true;
            }
        }
        stopped = false;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void opened(int session) {
        sessions.add(session);
    }

    synchronized void closed(int session) {
        sessions.remove(session);
    }

    /** Lets it execute so many more statements. */
    synchronized void go(int more) {
        limit = Math.min(limit, statements.size() - (stopped ? 1 : 0)) + more;
        // Not stopped any more, even if its thread has not noticed yet.
        stopped = stopped && statements.size() > limit;
        notifyAll();
    }

    /** Lets it go on to its end. */
    synchronized void release() {
        limit = Integer.MAX_VALUE;
        stopped = false;
        notifyAll();
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    /** Waits until it is stopped, has ended, or waits for a lock that a transaction of another session holds. */
    State await() {
        long end = System.nanoTime() + PATIENCE;
        while (true) {
            Set<Integer> mine;
            synchronized (this) {
                if (!stopped && !ended) {
                    pause();
                }
                if (ended) {
                    return State.ENDED;
                }
                if (stopped) {
                    return State.STOPPED;
                }
                mine = Set.copyOf(sessions);
            }
            if (ground.isBlocked(mine)) {
                synchronized (this) {
                    if (!stopped && !ended) {
                        return State.BLOCKED;
                    }
                }
            }
            if (System.nanoTime() > end) {
                throw new Stuck(this + " neither ends nor stops");
            }
        }
    }

    /** Whether it ends, or is stopped, within that time. */
    synchronized boolean endsOrStopsWithin(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!ended && !stopped && System.nanoTime() < end) {
            pause();
        }
        return ended || stopped;
    }

    /** Whether it ends within that time. */
    synchronized boolean endsWithin(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!ended && System.nanoTime() < end) {
            pause();
        }
        return ended;
    }

    @SuppressWarnings("WaitNotInLoop") // all callers look again in a loop
    private synchronized void pause() {
        try {
            wait(1);
        } catch (InterruptedException stop) {
            throw new IllegalStateException("The scheduler was interrupted", stop);
        }
    }

    /** What ended it; null when it ended well. */
    synchronized @Nullable Throwable thrown() {
        return thrown;
    }

    synchronized int count() {
        return statements.size();
    }

    /** The statement it has reached. */
    synchronized String where() {
        if (ended) {
            return "its end";
        }
        return statements.isEmpty()
                ? "its beginning"
                : "statement " + statements.size() + " (" + statements.get(statements.size() - 1) + ")";
    }

    synchronized List<String> statements() {
        return List.copyOf(statements);
    }

    /** Ends its sessions, so that the next case can begin. */
    void kill() {
        release();
        Set<Integer> mine;
        synchronized (this) {
            mine = Set.copyOf(sessions);
        }
        ground.terminate(mine);
    }

    @Override
    public String toString() {
        return name + " at " + where();
    }

    /** An operation that does not end. */
    @SuppressWarnings("serial")
    static final class Stuck extends RuntimeException {
        Stuck(String message) {
            super(message);
        }
    }
}
