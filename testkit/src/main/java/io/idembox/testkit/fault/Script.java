// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The steps of one run of a process, its planned faults, and the task to run during a pause. Thread-safe. */
final class Script {

    private final List<FaultPlan> plans;
    private final Runnable pauseTask;
    private final Duration limit;
    private final List<Step> steps = new ArrayList<>();
    private @Nullable Step faultStep;
    private @Nullable FutureTask<Void> pause;
    private boolean endedInTime;

    Script(List<FaultPlan> plans, Runnable meanwhile, Duration limit) {
        this.plans = plans;
        this.pauseTask = meanwhile;
        this.limit = limit;
    }

    Step next(FaultyDataSource.Call call) {
        String site = CallSites.here();
        synchronized (this) {
            Step step = new Step(steps.size() + 1, call.kind(), call.what(), site, call.commits());
            steps.add(step);
            return step;
        }
    }

    Optional<Fault> faultAt(Step step, FaultPlan.When when) {
        return plans.stream()
                .filter(plan -> plan.step() == step.number() && plan.when() == when)
                .map(FaultPlan::fault)
                .findFirst();
    }

    synchronized List<Step> steps() {
        return List.copyOf(steps);
    }

    synchronized Optional<Step> faultStep() {
        return Optional.ofNullable(faultStep);
    }

    synchronized void recordFault(Step step) {
        faultStep = step;
    }

    /** Returns when the task of the pause has ended, or after the limit. */
    void pause() {
        FutureTask<Void> task = new FutureTask<>(pauseTask, null);
        synchronized (this) {
            pause = task;
        }
        Thread thread = new Thread(task, "meanwhile");
        thread.setDaemon(true);
        thread.start();
        boolean inTime = await(task);
        synchronized (this) {
            endedInTime = inTime;
        }
    }

    boolean awaitPauseTask() {
        FutureTask<Void> task;
        boolean inTime;
        synchronized (this) {
            task = pause;
            inTime = endedInTime;
        }
        if (task == null) {
            return false;
        }
        if (!await(task)) {
            throw new IllegalStateException(
                    "The task of the pause has not ended " + limit + " after the process continued");
        }
        try {
            task.get();
        } catch (ExecutionException thrown) {
            throw new IllegalStateException("The task of the pause failed", thrown.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        return inTime;
    }

    /** Whether it ended within the limit, successfully or not. */
    private boolean await(FutureTask<Void> task) {
        try {
            task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException ended) {
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
