// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.testkit.postgres.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Interleaves operations at every statement, on a real PostgreSQL, and checks the guarantees; then takes fixes back, one at a
 * time, and demands that each is found.
 */
final class Interleavings {

    private static final int LANES = 2;

    private final Arguments arguments;
    private final Tally tally;

    private Interleavings(Arguments arguments) {
        this.arguments = arguments;
        this.tally = new Tally(arguments.isTalkative());
    }

    public static void main(String[] args) throws InterruptedException {
        Interleavings programme = new Interleavings(Arguments.of(args));
        boolean ok;
        try (PostgresServer server = Ground.server()) {
            ok = programme.run(server);
        }
        System.exit(ok ? 0 : 1);
    }

    private boolean run(PostgresServer server) throws InterruptedException {
        long begin = System.nanoTime();
        if (!arguments.isOnlyBroken()) {
            work(server, Reverted.NOTHING, jobs());
        }
        String broken = "";
        boolean allFound = true;
        if (arguments.isWhole()) {
            List<Reverted> fixes = Reverted.fixes();
            int found = 0;
            for (Reverted fix : fixes) {
                found += isFound(server, fix) ? 1 : 0;
            }
            allFound = found == fixes.size();
            broken = " broken-found=" + found + "/" + fixes.size();
        }
        System.out.printf(
                Locale.ROOT,
                "interleavings: %s%s seed=%d seconds=%d%n",
                tally,
                broken,
                arguments.seed(),
                (System.nanoTime() - begin) / 1_000_000_000);
        return tally.violations() == 0 && allFound;
    }

    private interface Job {
        void run(Lane partition);
    }

    private void work(PostgresServer server, Reverted reverted, List<Job> jobs) throws InterruptedException {
        Queue<Job> queue = new ConcurrentLinkedQueue<>(jobs);
        List<Thread> threads = new ArrayList<>();
        for (int partition = 0; partition < Math.min(LANES, jobs.size()); partition++) {
            Thread thread = new Thread(() -> work(server, reverted, queue), "lane-" + partition);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void work(PostgresServer server, Reverted reverted, Queue<Job> jobs) {
        try (Ground ground = new Ground(server)) {
            Lane partition = new Lane(ground, reverted);
            for (Job job = jobs.poll(); job != null; job = jobs.poll()) {
                job.run(partition);
            }
        } catch (RuntimeException | Error failed) {
            tally.failed(failed);
        }
    }

    private List<Job> jobs() {
        if (arguments.oneCase().isPresent()) {
            String name = arguments.oneCase().get();
            return List.of(partition -> NamedSchedule.parse(name).run(partition, tally::reported));
        }
        if (arguments.oneRandom().isPresent()) {
            long seed = arguments.oneRandom().get();
            return List.of(partition -> random(partition, seed));
        }
        List<Job> jobs = new ArrayList<>();
        int number = 0;
        for (Fixture fixture : Fixtures.all()) {
            for (List<Task> some : fixture.pairsAndTriples()) {
                int begin = arguments.firstStop(number);
                if (arguments.isChosen(number) && arguments.wants(fixture, some)) {
                    jobs.add(partition -> stops(partition, fixture, begin, some));
                }
                number++;
            }
        }
        for (int i = 0; arguments.isWhole() && i < arguments.schedules(); i++) {
            long seed = arguments.seed() + i;
            jobs.add(partition -> random(partition, seed));
        }
        return jobs;
    }

    /** Of two each is stopped at each of its statements while the other one runs; of three the first two are. */
    private void stops(Lane partition, Fixture fixture, int begin, List<Task> some) {
        long start = System.nanoTime();
        new Stops(partition, fixture, begin, arguments.every(), tally::reported).all(some);
        tally.done(fixture, some, System.nanoTime() - start);
    }

    private void random(Lane partition, long seed) {
        Random random = new Random(seed);
        Fixture fixture = Fixtures.all().get(random.nextInt(Fixtures.all().size()));
        List<Task> some = new ArrayList<>();
        int count = 3 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            some.add(fixture.tasks().get(random.nextInt(fixture.tasks().size())));
        }
        tally.schedule();
        Schedule.Result result = new Schedule(partition.begin(fixture), random.nextBoolean()).random(some, random);
        tally.reported("random " + fixture + " " + some, "--random=" + seed, result);
    }

    /** The operations that are meant for it are interleaved until there is a violation. */
    private boolean isFound(PostgresServer server, Reverted fix) throws InterruptedException {
        List<String> found = new ArrayList<>();
        Consumer<Lane> search = partition -> fix.cases().forEach(names -> {
            Fixture fixture = Fixtures.named(names.get(0));
            List<Task> tasks =
                    names.subList(1, names.size()).stream().map(fixture::named).toList();
            Stops stops = new Stops(
                    partition,
                    fixture,
                    1,
                    1,
                    (name, command, result) -> result.violation().ifPresent(what -> found.add(name + ": " + what)));
            if (found.isEmpty()) {
                stops.all(tasks);
            }
        });
        work(server, fix, List.of(search::accept));
        System.out.printf(
                Locale.ROOT,
                "%s without its fix: %s%n",
                fix,
                found.isEmpty() ? "NOT FOUND" : found.size() + " times, first by " + found.get(0));
        return !found.isEmpty();
    }
}
