// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.acceptance.programme.Fleet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Messages from a broker to several consumer processes, in both modes, while everything fails at random: processes, the database,
 * the broker, connections. Then it is all healed, and what is in the database is compared with what the broker acknowledged.
 */
final class SoakRun {

    private static final int MESSAGES = 15_000;

    /** If almost everything was done only after the faults, they hit nobody. */
    private static final int UNDER_FIRE = 5_000;

    private static final List<String> CONSUMERS = List.of(SoakConsumer.DIRECT, SoakConsumer.STORED);
    private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long TICK_NANOS = 20_000_000;
    private static final long LOOK_NANOS = 300_000_000;

    private final Options options;
    private final Plan plan;
    private final Workload workload;
    private final long begin = System.nanoTime();
    private long lastReport = begin;
    private int underFire;

    private SoakRun(Options options) {
        this.options = options;
        this.plan = new Plan(options);
        this.workload = new Workload(options);
    }

    public static void main(String[] args) {
        Options options;
        try {
            options = Options.parse(List.of(args));
        } catch (IllegalArgumentException wrong) {
            System.out.println(wrong.getMessage());
            System.out.println(Options.USAGE);
            System.exit(2);
            return;
        }
        boolean well = false;
        try (World world = new World()) {
            well = new SoakRun(options).run(world);
        } catch (SQLException | RuntimeException unexpected) {
            System.out.println("soak ended unexpectedly: " + unexpected);
            unexpected.printStackTrace(System.out);
        }
        if (!well) {
            System.out.println("to do the same again: " + options.again());
        }
        System.exit(well ? 0 : 1);
    }

    private boolean run(World world) throws SQLException {
        System.out.println(world.scene().server() + "; " + workload.items().size() + " messages; " + plan + "; "
                + options.again());
        try (Fleet fleet = SoakConsumer.fleet(world, options);
                Sender sender = new Sender(workload, world.kafka().bootstrap(), World.TOPIC, options)) {
            await("all processes to be ready", () -> fleet.ready().size() == options.processes());
            return run(world, fleet, sender);
        }
    }

    private boolean run(World world, Fleet fleet, Sender sender) throws SQLException {
        try (Chaos chaos = new Chaos(world, fleet, plan)) {
            Thread thread = new Thread(sender, "sender");
            thread.setDaemon(true);
            thread.start();
            goWrong(world, fleet, sender, chaos);
            boolean done = await("everything to be done", () -> isDone(world, sender));
            sender.check();
            // Before anything is brought again: that would bring back what is lost.
            Findings findings = check(world, sender);
            int replayed = done && findings.areFine() ? replay(world, fleet, sender, findings) : 0;
            findings.print();
            return judge(findings, fleet, sender, chaos, replayed);
        }
    }

    /** Until the plan is through, and not for much longer than it takes; then everything is healed. */
    private void goWrong(World world, Fleet fleet, Sender sender, Chaos chaos) {
        long most = 3 * options.millis() + 30_000;
        while (!(chaos.isOver() && chaos.millis() >= options.millis()) && chaos.millis() < most) {
            chaos.advance();
            fleet.replaceTheEnded();
            sender.check();
            report(world, fleet, sender, chaos);
            LockSupport.parkNanos(TICK_NANOS);
        }
        chaos.heal();
        underFire = effects(world);
        System.out.printf(
                Locale.ROOT,
                "%7.1f s  healed: %d acknowledged by the broker, %d effects%n",
                chaos.millis() / 1_000.0,
                sender.acked(),
                underFire);
    }

    private void report(World world, Fleet fleet, Sender sender, Chaos chaos) {
        long now = System.nanoTime();
        if (now - lastReport < REPORT_EVERY.toNanos()) {
            return;
        }
        lastReport = now;
        System.out.printf(
                Locale.ROOT,
                "%7.1f s  acknowledged %d, effects %d, fenced %d, %d processes ready%n",
                chaos.millis() / 1_000.0,
                sender.acked(),
                effects(world),
                fleet.fenced(),
                fleet.ready().size());
    }

    private static int effects(World world) {
        try {
            return world.scene().effects();
        } catch (SQLException down) {
            return -1;
        }
    }

    /** Everything was taken from the broker, and nobody works on anything. What waits for nobody is left to the checks. */
    private static boolean isDone(World world, Sender sender) {
        try {
            return sender.hasEnded()
                    && world.behind(CONSUMERS) == 0
                    && !world.scene().isBusy();
        } catch (SQLException | IllegalStateException away) {
            return false;
        }
    }

    private boolean await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                System.out.println("waited in vain for " + what + ", " + PATIENCE.toSeconds() + " s");
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    private Findings check(World world, Sender sender) throws SQLException {
        Checker checker = new Checker(workload, sender::isAcked);
        for (String consumer : CONSUMERS) {
            Map<Integer, Long> committed = world.committed(consumer);
            checker.check(
                    world.scene().history(consumer),
                    item -> sender.offsetOf(item) < committed.getOrDefault(sender.partitionOf(item), 0L));
        }
        return checker.findings();
    }

    /** Everything comes once more, from the oldest record on, to processes that start; nothing may come of it. */
    private int replay(World world, Fleet fleet, Sender sender, Findings before) throws SQLException {
        fleet.killAll();
        List<String> toRewind = new ArrayList<>(CONSUMERS);
        if (!await("the groups to be empty", () -> {
            toRewind.removeIf(world::rewind);
            return toRewind.isEmpty();
        })) {
            before.misjudged("the groups could not be set back");
            return 0;
        }
        fleet.startAll();
        if (!await("everything to be read again", () -> isDone(world, sender))) {
            before.misjudged("not everything was read again: " + world.behind(CONSUMERS) + " records are left");
        }
        // Who counts tells it every second.
        long expected = 2L * (sender.acked() + sender.copies()) - before.parked - before.waiting;
        await("all answers to be told", () -> fleet.duplicates() >= expected - before.parked - before.waiting);
        Findings after = check(world, sender);
        if (after.effects != before.effects || !after.areFine()) {
            after.print();
            before.misjudged(
                    "records that came again had effects: " + before.effects + " before, " + after.effects + " after");
        }
        return (int) fleet.duplicates();
    }

    private boolean judge(Findings findings, Fleet fleet, Sender sender, Chaos chaos, int replayed) {
        List<String> missed = new ArrayList<>();
        require(missed, "messages", sender.acked(), options.share(MESSAGES));
        require(missed, "effects while things went wrong", underFire, options.share(UNDER_FIRE));
        for (Plan.Kind kind : Plan.Kind.values()) {
            require(missed, kind.name(), chaos.count(kind), kind.least(options));
        }
        if (fleet.endedByThemselves() > 0) {
            missed.add(fleet.endedByThemselves() + " processes ended without being killed");
        }
        missed.forEach(miss -> System.out.println("MISSED " + miss));
        System.out.printf(
                Locale.ROOT,
                "effects %d, of them %d while things went wrong; copies sent %d; fenced %d; frozen with leases %d; waiting behind"
                        + " parked %d; misjudged %d; answered as duplicates when all came again %d%n",
                findings.effects,
                underFire,
                sender.copies(),
                fleet.fenced(),
                chaos.inHand(),
                findings.waiting,
                findings.misjudged,
                replayed);
        boolean fine = findings.areFine() && missed.isEmpty();
        System.out.printf(
                Locale.ROOT,
                "soak ok=%b acked=%d lost=%d duplicated=%d reordered=%d stuck=%d parked=%d kills=%d freezes=%d"
                        + " database-kills=%d broker-restarts=%d cuts=%d seconds=%d seed=%d%n",
                fine,
                sender.acked(),
                findings.lost,
                findings.duplicated,
                findings.reordered,
                findings.stuck,
                findings.parked,
                chaos.count(Plan.Kind.KILL),
                chaos.count(Plan.Kind.FREEZE),
                chaos.count(Plan.Kind.DATABASE_KILL),
                chaos.count(Plan.Kind.BROKER_RESTART),
                chaos.count(Plan.Kind.CUT),
                (System.nanoTime() - begin) / 1_000_000_000,
                options.seed());
        if (!options.unfenced()) {
            return fine;
        }
        boolean caught = findings.duplicated > 0;
        System.out.println(
                caught
                        ? "broken fence: caught, " + findings.duplicated + " messages were doubled"
                        : "broken fence: NOT CAUGHT");
        return caught;
    }

    private static void require(List<String> missed, String what, int count, int least) {
        if (count < least) {
            missed.add(what + ": " + count + ", at least " + least + " are needed");
        }
    }
}
