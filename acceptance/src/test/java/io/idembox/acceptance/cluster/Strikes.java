// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import io.idembox.acceptance.programme.Fleet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Kills and pauses, spread evenly over the messages: the next one waits until the effects have come that far. Whoever is hit
 * has work in hand: it is frozen first, and the database is asked. A pause lasts until the leases were taken away, so it is
 * longer than the lease by however long that took. Others are killed meanwhile. Not thread-safe.
 */
final class Strikes {

    /** How far effects may stay behind because some messages wait for ever. */
    private static final double SHARE = 0.97;

    /** How many messages are stored ahead of that, so that there is always something to do. */
    private static final double AHEAD = 0.04;

    /** How long a pause goes on after the leases are gone: somebody else is at work by then. */
    private static final int AFTER_THE_LEASE_MILLIS = 400;

    /** Leases that are being settled are not taken away; nobody waits for that. */
    private static final Duration LONGEST_PAUSE = ClusterConsumer.LEASE.multipliedBy(4);

    private enum Kind {
        KILL,
        PAUSE
    }

    private final Fleet fleet;
    private final Scene scene;
    private final Random random;
    private final Deque<Kind> planned = new ArrayDeque<>();
    private final double ahead;
    private final double step;
    private double bonus;
    private int struck;
    private int kills;
    private int pauses;
    private Pause pause;

    /**
     * A process that stands still.
     *
     * @param tokens of the leases that it had
     */
    private record Pause(Fleet.Member member, List<String> tokens, long begin, long atLeast) {}

    Strikes(Fleet fleet, Scene scene, Options options) {
        this.fleet = fleet;
        this.scene = scene;
        this.random = new Random(options.seed() + 1);
        List<Kind> kinds = new ArrayList<>(Collections.nCopies(options.kills(), Kind.KILL));
        kinds.addAll(Collections.nCopies(options.pauses(), Kind.PAUSE));
        Collections.shuffle(kinds, random);
        planned.addAll(kinds);
        this.ahead = options.messages() * AHEAD;
        this.step = (options.messages() - ahead) / (kinds.size() + 1);
    }

    /**
     * Does what is due.
     *
     * @param idle whether everything that was allowed is stored and done
     */
    void advance(int effects, boolean idle) throws SQLException {
        if (pause != null && isOver(pause)) {
            pause.member().process().thaw();
            pause = null;
            pauses++;
        }
        if (planned.isEmpty() || (planned.peek() == Kind.PAUSE && pause != null)) {
            return;
        }
        boolean isDue = effects >= (struck + 0.5) * step * SHARE;
        if (!(isDue && strike()) && idle) {
            // Nobody is hit who has nothing to do: they get more.
            bonus += step / 2;
        }
    }

    /** Whether somebody was hit. */
    private boolean strike() throws SQLException {
        List<Fleet.Member> ready = new ArrayList<>(fleet.ready());
        if (pause != null) {
            ready.remove(pause.member());
        }
        // Somebody has to be left, or nothing would be taken over before all of them were started again.
        if (ready.size() < 2) {
            return false;
        }
        Fleet.Member victim = ready.get(random.nextInt(ready.size()));
        victim.process().freeze();
        List<String> tokens = scene.leasesOf(victim.process().pid());
        if (tokens.isEmpty()) {
            victim.process().thaw();
            return false;
        }
        struck++;
        switch (planned.pop()) {
            case KILL -> {
                fleet.kill(victim);
                kills++;
            }
            case PAUSE -> {
                long more = random.nextInt(AFTER_THE_LEASE_MILLIS) * 1_000_000L;
                long atLeast = ClusterConsumer.LEASE.toNanos() + more;
                pause = new Pause(victim, tokens, System.nanoTime(), atLeast);
            }
        }
        return true;
    }

    private boolean isOver(Pause current) throws SQLException {
        long nanos = System.nanoTime() - current.begin();
        if (nanos > LONGEST_PAUSE.toNanos()) {
            return true;
        }
        return nanos > current.atLeast() && !scene.anyLeaseOf(current.tokens());
    }

    /** How many messages may be stored by now: the last ones only when nothing is left to be struck. */
    int allowance() {
        return (int) Math.ceil(ahead + (struck + 1) * step + bonus);
    }

    boolean isSomebodyPaused() {
        return pause != null;
    }

    int kills() {
        return kills;
    }

    int pauses() {
        return pauses;
    }
}
