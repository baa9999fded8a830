// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs slices, one at a time, and pairs of them in shuffled order; checks the effects after each. */
public final class Rig implements AutoCloseable {

    private final Arena arena;
    private final Options options;
    private final int accounts;
    private final SplittableRandom messages;
    private final Random order;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private boolean errorShown;

    public Rig(Arena arena, Options options) {
        this(arena, options, Workload.ACCOUNTS);
    }

    /** @param accounts how many accounts, and so keys, the messages are for */
    public Rig(Arena arena, Options options, int accounts) {
        this.arena = arena;
        this.options = options;
        this.accounts = accounts;
        this.messages = new SplittableRandom(options.seed());
        this.order = new Random(options.seed());
    }

    /**
     * Runs every pair as often as the options say, in an order that is shuffled for each repetition.
     *
     * @param beforeEach housekeeping before a repetition
     */
    public Results run(List<Pair> pairs, Limit limit, Runnable beforeEach) {
        warmUp(pairs, limit, beforeEach);
        Map<Pair, List<Match>> results = new LinkedHashMap<>();
        pairs.forEach(pair -> results.put(pair, new ArrayList<>()));
        int done = 0;
        for (int rep = 0; rep < options.reps(); rep++) {
            beforeEach.run();
            List<Pair> shuffled = new ArrayList<>(pairs);
            Collections.shuffle(shuffled, order);
            for (Pair pair : shuffled) {
                Slice base = slice(pair.base(), pair.workers(), limit);
                Match match = new Match(base, slice(pair.subject(), pair.workers(), limit));
                results.computeIfAbsent(pair, fresh -> new ArrayList<>()).add(match);
                System.out.printf(
                        "[%3d/%d] W=%d %-45s %9.0f msg/s, %7.2f × %s%n",
                        ++done,
                        pairs.size() * options.reps(),
                        pair.workers(),
                        match.subject().strategy(),
                        match.subject().perSecond(),
                        match.subject().perSecond() / base.perSecond(),
                        base.strategy());
            }
        }
        return new Results(results);
    }

    private void warmUp(List<Pair> pairs, Limit limit, Runnable beforeEach) {
        System.out.printf("Warming up; the order of slices comes from --seed %d%n", options.seed());
        beforeEach.run();
        record Seat(Strategy strategy, int workers) {}
        Set<Seat> seats = new LinkedHashSet<>();
        for (Pair pair : pairs) {
            seats.add(new Seat(pair.base(), pair.workers()));
            seats.add(new Seat(pair.subject(), pair.workers()));
        }
        // Who commits per message sees few messages in a slice, and the compiler wants to see many.
        arena.hurry();
        for (int round = 0; round < (options.quick() ? 2 : 3); round++) {
            seats.forEach(seat -> slice(seat.strategy(), seat.workers(), limit));
        }
        arena.beDurable();
        beforeEach.run();
        seats.forEach(seat -> slice(seat.strategy(), seat.workers(), limit));
    }

    /** Runs one slice. */
    public Slice slice(Strategy strategy, int workers, Limit limit) {
        Feed stock = new Feed(messages.split(), accounts, 0, 1, false);
        prepare(strategy, stock);
        System.gc(); // nobody pays for the garbage of the slice before
        long effectsBefore = arena.ask(strategy.effects());
        List<Feed> feeds = new ArrayList<>(List.of(stock));
        List<Future<Tally>> running = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        for (int worker = 0; worker < workers; worker++) {
            Feed feed = new Feed(messages.split(), accounts, worker, workers, strategy.takesRedeliveries());
            feeds.add(feed);
            running.add(threads.submit(() -> {
                start.await();
                return work(strategy, feed, limit);
            }));
        }
        Measures begin = arena.begin();
        start.countDown();
        Tally tally = Tally.NOTHING;
        for (Future<Tally> each : running) {
            tally = tally.plus(resultOf(each));
        }
        tally = tally.plus(step(strategy, strategy::finish));
        Measures spent = arena.end().since(begin);
        inspect(strategy);
        new Proof(
                        feeds.stream().mapToLong(Feed::fresh).sum(),
                        feeds.stream().mapToLong(Feed::repeated).sum(),
                        tally,
                        arena.ask(strategy.effects()) - effectsBefore,
                        arena.ask(strategy.leftOver()))
                .orThrow(strategy.name() + ", W=" + workers);
        return new Slice(strategy.name(), workers, tally, spent);
    }

    private static void prepare(Strategy strategy, Feed stock) {
        try {
            strategy.prepare(stock);
        } catch (Exception error) {
            throw new IllegalStateException("A slice of " + strategy.name() + " could not be prepared", error);
        }
    }

    private static void inspect(Strategy strategy) {
        try {
            strategy.inspect();
        } catch (WrongEffectsException wrong) {
            throw wrong;
        } catch (Exception error) {
            throw new IllegalStateException("A slice of " + strategy.name() + " could not be looked at", error);
        }
    }

    private Tally work(Strategy strategy, Feed feed, Limit limit) {
        Tally tally = Tally.NOTHING;
        long begin = System.nanoTime();
        while (strategy.worksOff() || limit.allows(System.nanoTime() - begin, tally.messages())) {
            Tally more = step(strategy, () -> strategy.consume(feed));
            tally = tally.plus(more);
            // An error of one who works off would come again and again; what is left over then tells.
            if (strategy.worksOff() && (more.messages() == 0 || more.errors() > 0)) {
                break;
            }
        }
        return tally;
    }

    private Tally step(Strategy strategy, Callable<Tally> step) {
        try {
            return step.call();
        } catch (Exception error) {
            show(strategy, error);
            return Tally.failed(strategy.batchSize());
        }
    }

    /** One is enough to see what is wrong; the rest is only counted. */
    private synchronized void show(Strategy strategy, Exception error) {
        if (!errorShown) {
            errorShown = true;
            System.err.println("The first error, of " + strategy.name() + ":");
            error.printStackTrace(System.err);
        }
    }

    private static Tally resultOf(Future<Tally> running) {
        try {
            return running.get();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The run was interrupted", stop);
        } catch (ExecutionException broken) {
            throw new IllegalStateException("A worker ended early", broken);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
