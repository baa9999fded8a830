// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.acceptance.programme.Fleet;
import io.idembox.testkit.fault.CuttingProxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Does what the plan says, when it is due and somebody is there to be hit; says so. What is frozen or down meanwhile does not
 * keep the rest from happening. Not thread-safe.
 */
final class Chaos implements AutoCloseable {

    /** For how long after the last hit somebody is looked for who is at work and not alone; after that anybody is hit. */
    private static final Duration CHOOSY = Duration.ofSeconds(45);

    /** Whoever stood still may show what it makes of it. */
    private static final Duration AFTER_A_PAUSE = Duration.ofSeconds(3);

    /** What is late does not come all at once. */
    private static final Duration BETWEEN_KILLS = Duration.ofMillis(600);

    /** How long a pause goes on after the leases are gone: somebody else is at work by then. */
    private static final int AFTER_THE_LEASE_MILLIS = 600;

    /** Every third pause is longer than the session with the broker. */
    private static final Duration LONG_PAUSE = SoakConsumer.SESSION.plusSeconds(2);

    /** Leases that are being settled are not taken away; nobody waits for that. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(12);

    private static final int REFUSAL_MILLIS = 1_200;

    private final World world;
    private final Fleet fleet;
    private final List<Plan.Strike> planned;
    private final Map<Plan.Kind, Integer> done = new EnumMap<>(Plan.Kind.class);
    private final ExecutorService databaseHand = Executors.newSingleThreadExecutor(Chaos::daemon);
    private final ExecutorService brokerHand = Executors.newSingleThreadExecutor(Chaos::daemon);
    private final long begin = System.nanoTime();
    private CompletableFuture<Void> databaseRepair = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> brokerRepair = CompletableFuture.completedFuture(null);
    private @Nullable Pause pause;
    private Fleet.@Nullable Member thawed;
    private long thawedAt;
    private final Map<CuttingProxy, Long> refusals = new HashMap<>();
    private long lastKill = begin;
    private long lastFreeze = begin;
    private int inHand;

    /**
     * A process that stands still.
     *
     * @param tokens of the leases that it had
     */
    private record Pause(Fleet.Member member, List<String> tokens, long begin, long atLeast) {}

    Chaos(World world, Fleet fleet, Plan plan) {
        this.world = world;
        this.fleet = fleet;
        this.planned = new ArrayList<>(plan.strikes());
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "chaos");
        thread.setDaemon(true);
        return thread;
    }

    long millis() {
        return (System.nanoTime() - begin) / 1_000_000;
    }

    /** How many there were of a kind. */
    int count(Plan.Kind kind) {
        return done.getOrDefault(kind, 0);
    }

    /** How many pauses met somebody with leases. */
    int inHand() {
        return inHand;
    }

    boolean isOver() {
        return planned.isEmpty() && isHealed();
    }

    private boolean isHealed() {
        return pause == null && refusals.isEmpty() && databaseRepair.isDone() && brokerRepair.isDone();
    }

    /** Does what is due. What cannot be done yet is tried again the next time. */
    void advance() {
        endWhatIsOver();
        long now = millis();
        for (Plan.Strike strike : List.copyOf(planned)) {
            if (strike.atMillis() > now) {
                return;
            }
            if (strike(strike)) {
                planned.remove(strike);
                done.merge(strike.kind(), 1, Integer::sum);
            }
        }
    }

    /** No more of it: whoever stands still goes on, doors are open, servers run. */
    void heal() {
        planned.clear();
        if (pause != null) {
            pause.member().process().thaw();
            pause = null;
        }
        refusals.keySet().forEach(CuttingProxy::accept);
        refusals.clear();
        databaseRepair.join();
        brokerRepair.join();
    }

    private void endWhatIsOver() {
        if (pause != null && isOver(pause)) {
            pause.member().process().thaw();
            say(pause.member() + " goes on after " + (System.nanoTime() - pause.begin()) / 1_000_000 + " ms");
            thawed = pause.member();
            thawedAt = System.nanoTime();
            pause = null;
        }
        refusals.entrySet().removeIf(refusal -> {
            boolean over = System.nanoTime() - refusal.getValue() >= 0;
            if (over) {
                refusal.getKey().accept();
            }
            return over;
        });
        rethrow(databaseRepair);
        rethrow(brokerRepair);
    }

    private static void rethrow(CompletableFuture<Void> repair) {
        if (repair.isCompletedExceptionally()) {
            repair.join();
        }
    }

    private boolean isOver(Pause current) {
        long nanos = System.nanoTime() - current.begin();
        if (nanos > LONGEST_PAUSE.toNanos()) {
            return true;
        }
        if (nanos <= current.atLeast()) {
            return false;
        }
        try {
            return current.tokens().isEmpty() || !world.scene().anyLeaseOf(current.tokens());
        } catch (SQLException down) {
            return false;
        }
    }

    private boolean strike(Plan.Strike strike) {
        return switch (strike.kind()) {
            case KILL -> kill(strike);
            case FREEZE -> freeze(strike);
            case DATABASE_KILL -> killDatabase(strike);
            case BROKER_RESTART -> restartBroker(strike);
            case CUT -> cut(strike);
        };
    }

    /** Nobody when whoever is there is the only one: somebody has to go on with the work. */
    private List<Fleet.Member> victims(boolean choosy) {
        List<Fleet.Member> victims = new ArrayList<>(fleet.ready());
        if (pause != null) {
            victims.remove(pause.member());
        }
        if (thawed != null && System.nanoTime() - thawedAt < AFTER_A_PAUSE.toNanos()) {
            victims.remove(thawed);
        }
        if (choosy && victims.size() < 2) {
            return List.of();
        }
        victims.removeIf(member -> choosy && !member.works());
        return victims;
    }

    private boolean kill(Plan.Strike strike) {
        long since = System.nanoTime() - lastKill;
        List<Fleet.Member> victims = victims(since < CHOOSY.toNanos());
        if (victims.isEmpty() || since < BETWEEN_KILLS.toNanos()) {
            return false;
        }
        lastKill = System.nanoTime();
        Fleet.Member victim = victims.get(strike.dice() % victims.size());
        say(strike + ": " + victim);
        fleet.kill(victim);
        return true;
    }

    private boolean freeze(Plan.Strike strike) {
        boolean choosy = System.nanoTime() - lastFreeze < CHOOSY.toNanos();
        List<Fleet.Member> victims = victims(choosy);
        if (pause != null || victims.isEmpty() || !databaseRepair.isDone()) {
            return false;
        }
        Fleet.Member victim = victims.get(strike.dice() % victims.size());
        victim.process().freeze();
        List<String> tokens = leasesOf(victim);
        if (tokens.isEmpty() && choosy) {
            victim.process().thaw();
            return false;
        }
        lastFreeze = System.nanoTime();
        inHand += tokens.isEmpty() ? 0 : 1;
        Duration atLeast = strike.number() % 3 == 0
                ? LONG_PAUSE
                : SoakConsumer.LEASE.plusMillis(strike.dice() % AFTER_THE_LEASE_MILLIS);
        say(strike + ": " + victim + " with " + tokens.size() + " leases, for at least " + atLeast.toMillis() + " ms");
        pause = new Pause(victim, tokens, System.nanoTime(), atLeast.toNanos());
        return true;
    }

    private List<String> leasesOf(Fleet.Member member) {
        try {
            return world.scene().leasesOf(member.process().pid());
        } catch (SQLException down) {
            return List.of();
        }
    }

    private boolean killDatabase(Plan.Strike strike) {
        if (!databaseRepair.isDone()) {
            return false;
        }
        say(strike.toString());
        world.postgres().kill();
        databaseRepair = CompletableFuture.runAsync(
                () -> {
                    world.postgres().restart();
                    say(strike + ": is back");
                },
                databaseHand);
        return true;
    }

    private boolean restartBroker(Plan.Strike strike) {
        if (!brokerRepair.isDone()) {
            return false;
        }
        boolean orderly = strike.number() % 2 == 0;
        say(strike + (orderly ? ": orderly" : ": kill -9"));
        brokerRepair = CompletableFuture.runAsync(
                () -> {
                    if (!orderly) {
                        world.kafka().kill();
                    }
                    world.kafka().restart();
                    say(strike + ": is back");
                },
                brokerHand);
        return true;
    }

    private boolean cut(Plan.Strike strike) {
        List<CuttingProxy> proxies = switch (strike.dice() % 3) {
            case 0 -> List.of(world.toDatabase());
            case 1 -> List.of(world.toBroker());
            default -> List.of(world.toDatabase(), world.toBroker());
        };
        if (proxies.stream().anyMatch(proxy -> proxy.open() == 0 || refusals.containsKey(proxy))) {
            return false;
        }
        int refused = strike.dice() / 3 % 2 == 0 ? 0 : strike.dice() / 6 % REFUSAL_MILLIS;
        int connections = 0;
        for (CuttingProxy proxy : proxies) {
            if (refused > 0) {
                proxy.refuse();
                refusals.put(proxy, System.nanoTime() + refused * 1_000_000L);
            }
            connections += proxy.cutAll();
        }
        String what = strike.dice() % 3 == 0 ? "database" : strike.dice() % 3 == 1 ? "broker" : "database and broker";
        if (connections > 0) {
            say(strike + ": " + connections + " connections to " + what + ", nobody gets in for " + refused + " ms");
        }
        return connections > 0;
    }

    private void say(String what) {
        System.out.printf(Locale.ROOT, "%7.1f s  %s%n", millis() / 1_000.0, what);
    }

    @Override
    public void close() {
        databaseHand.shutdown();
        brokerHand.shutdown();
    }
}
