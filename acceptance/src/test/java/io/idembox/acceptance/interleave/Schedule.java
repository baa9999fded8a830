// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.StoreUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs the operations of one case in a given order of their statements. */
final class Schedule {

    /** Not stopped. */
    static final int TO_THE_END = Integer.MAX_VALUE;

    /** Longer than anything else takes: a wait ends because the transaction in front goes on. */
    private static final Duration LONG_WAIT = Duration.ofSeconds(5);

    /** Recording gives up waiting while the transaction in front is still stopped. */
    private static final Duration SHORT_WAIT = Duration.ofMillis(40);

    private static final long HELD_MILLIS = 300;
    private static final long END_MILLIS = 20_000;
    private static final int STEPS = 2_000;

    private final Case world;
    private final Duration frontDoorWait;
    private final List<Actor> actors = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private boolean blocked;

    /**
     * What came of a schedule.
     *
     * @param reached whether the first operation had a statement left at which it was stopped
     * @param secondReached the same of the second one of three
     * @param blocked whether an operation had to wait for another one
     */
    record Result(boolean reached, boolean secondReached, boolean blocked, String where, Optional<String> violation) {}

    /** @param patient whether recording waits until the operation in front goes on */
    Schedule(Case world, boolean patient) {
        this.world = world;
        this.frontDoorWait = patient ? LONG_WAIT : SHORT_WAIT;
    }

    /**
     * The first operation stops before its statement of that number, the second one runs to its end or until it is blocked, then
     * both go on.
     *
     * @param until the statement of the second operation before which it is stopped until the first one has ended
     * @param hold whether the first operation stays stopped while the second one waits, until it has given up waiting
     */
    Result pair(List<Task> two, int stop, int until, boolean hold) {
        Actor a = actor(two.get(0), "1");
        Actor b = actor(two.get(1), "2");
        return ending(() -> {
            start(a, two.get(0), stop - 1);
            boolean reached = a.await() == Actor.State.STOPPED;
            start(b, two.get(1), until - 1);
            Actor.State second = b.await();
            blocked = second == Actor.State.BLOCKED;
            while (hold && !b.hasEnded() && !b.isStopped() && goesOn(b)) {
                // It gives up waiting, statement by statement, while the first one is stopped.
            }
            boolean secondReached = b.isStopped();
            String where = a + ", " + b;
            if (secondReached) {
                a.release();
                a.await();
            }
            return new Result(reached, secondReached, blocked, where, Optional.empty());
        });
    }

    /** The first two stop before statements of these numbers, or where they are blocked; the third runs; then all go on. */
    Result triple(List<Task> three, int firstStop, int secondStop) {
        Actor a = actor(three.get(0), "1");
        Actor b = actor(three.get(1), "2");
        Actor c = actor(three.get(2), "3");
        return ending(() -> {
            start(a, three.get(0), firstStop - 1);
            boolean reached = a.await() == Actor.State.STOPPED;
            start(b, three.get(1), secondStop - 1);
            Actor.State second = b.await();
            blocked = second == Actor.State.BLOCKED;
            String where = a + ", " + b + (blocked ? " waiting" : "");
            start(c, three.get(2), Integer.MAX_VALUE);
            blocked |= c.await() == Actor.State.BLOCKED;
            a.release();
            a.await();
            if (!c.hasEnded()) {
                c.await();
            }
            b.release();
            b.await();
            return new Result(reached, second == Actor.State.STOPPED, blocked, where, Optional.empty());
        });
    }

    /** Each statement is executed by an operation that is chosen at random among those that are not waiting. */
    Result random(List<Task> some, Random random) {
        some.forEach(task -> actor(task, Integer.toString(actors.size() + 1)));
        StringBuilder order = new StringBuilder();
        return ending(() -> {
            for (int i = 0; i < some.size(); i++) {
                start(actors.get(i), some.get(i), 0);
                actors.get(i).await();
            }
            for (int step = 0; step < STEPS; step++) {
                List<Actor> ready = actors.stream().filter(Actor::isStopped).toList();
                if (ready.isEmpty()) {
                    if (actors.stream().allMatch(Actor::hasEnded)) {
                        break;
                    }
                    // All that are left wait for each other: a lock timeout or the database ends that.
                    actors.stream().filter(each -> !each.hasEnded()).forEach(each -> each.endsWithin(1));
                    continue;
                }
                Actor next = ready.get(random.nextInt(ready.size()));
                order.append(actors.indexOf(next) + 1);
                next.go(1);
                blocked |= next.await() == Actor.State.BLOCKED;
            }
            return new Result(true, true, blocked, "order " + order, Optional.empty());
        });
    }

    /** Whether it ends or reaches another statement while all others are stopped; otherwise its wait has no bound. */
    private static boolean goesOn(Actor actor) {
        int before = actor.count();
        return actor.endsOrStopsWithin(HELD_MILLIS) || actor.count() > before;
    }

    private Actor actor(Task task, String number) {
        Actor actor = new Actor(task.name() + "#" + number, world.ground());
        actors.add(actor);
        tasks.add(task);
        return actor;
    }

    private void start(Actor actor, Task task, int statements) {
        Node node = new Node(actor.dataSource(), world, frontDoorWait);
        actor.start(() -> task.body().run(world, node), statements);
    }

    private interface Run {
        Result run();
    }

    /** Lets all go on, finishes the case, and checks it. */
    private Result ending(Run run) {
        Result result;
        try {
            result = run.run();
            actors.forEach(Actor::release);
            for (Actor actor : actors) {
                if (!actor.endsWithin(END_MILLIS)) {
                    throw new Actor.Stuck(actor + " does not end");
                }
            }
        } catch (Actor.Stuck stuck) {
            actors.forEach(Actor::kill);
            actors.forEach(actor -> actor.endsWithin(END_MILLIS));
            return new Result(true, true, blocked, all(), Optional.of("stuck: " + stuck.getMessage()));
        }
        for (Actor actor : actors) {
            wrong(actor.thrown()).ifPresent(what -> world.complain("threw: " + actor.name() + " " + what));
        }
        boolean inOrder = tasks.stream().noneMatch(Task::reorders);
        return new Result(
                result.reached, result.secondReached, result.blocked, result.where, Guarantees.check(world, inOrder));
    }

    private String all() {
        return actors.stream().map(Actor::toString).collect(Collectors.joining(", "));
    }

    /** An operation may say that the database did not answer in time; anything else is not for its caller. */
    private static Optional<String> wrong(@Nullable Throwable thrown) {
        if (thrown == null || thrown instanceof StoreUnavailableException || isDeadlock(thrown)) {
            return Optional.empty();
        }
        return Optional.of(thrown.toString());
    }

    /** A migration that runs into a deadlock is started again by its operator. */
    private static boolean isDeadlock(Throwable thrown) {
        return thrown instanceof SQLException error && "40P01".equals(error.getSQLState());
    }
}
