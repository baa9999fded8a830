// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

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
public final class Strikes {

    /** How far effects may stay behind because some messages wait for ever. */
    private static final double SHARE = 0.97;

    /** How many messages are stored ahead of that, so that there is always something to do. */
    private static final double AHEAD = 0.04;

    /** How long a pause goes on after the leases are gone: somebody else is at work by then. */
    private static final int AFTER_THE_LEASE_MILLIS = 400;

    /** In leases: those that are being settled are not taken away, and nobody waits for that. */
    private static final int LONGEST_PAUSE = 4;

    private enum Kind {
        KILL,
        PAUSE
    }

    private final Fleet fleet;
    private final Sight sight;
    private final Duration lease;
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
     * What is to be struck, and how often.
     *
     * @param messages over how many it is spread
     * @param lease for longer than this a pause lasts
     */
    public record Wanted(int messages, int kills, int pauses, Duration lease, long seed) {}

    /**
     * A process that stands still.
     *
     * @param tokens of the leases that it had
     */
    private record Pause(Fleet.Member member, List<String> tokens, long begin, long atLeast) {}

    public Strikes(Fleet fleet, Sight sight, Wanted wanted) {
        this.fleet = fleet;
        this.sight = sight;
        this.lease = wanted.lease();
        this.random = new Random(wanted.seed() + 1);
        List<Kind> kinds = new ArrayList<>(Collections.nCopies(wanted.kills(), Kind.KILL));
        kinds.addAll(Collections.nCopies(wanted.pauses(), Kind.PAUSE));
        Collections.shuffle(kinds, random);
        planned.addAll(kinds);
        this.ahead = wanted.messages() * AHEAD;
        this.step = (wanted.messages() - ahead) / (kinds.size() + 1);
    }

    /**
     * Does what is due.
     *
     * @param effects how many there are by now
     * @param idle whether everything that was allowed is stored and done
     */
    public void advance(int effects, boolean idle) throws SQLException {
        if (pause != null && isOver(pause)) {
            pause.member().process().thaw();
            pause = null;
            pauses++;
        }
        if (planned.isEmpty() || (planned.peek() == Kind.PAUSE && pause != null)) {
            return;
        }
        List<Fleet.Member> ready = new ArrayList<>(fleet.ready());
        if (pause != null) {
            ready.remove(pause.member());
        }
        // Somebody has to be left, or nothing would be taken over before all of them were started again.
        if (ready.size() < 2) {
            return;
        }
        boolean isDue = effects >= (struck + 0.5) * step * SHARE;
        if (!(isDue && strike(ready)) && idle) {
            // Nobody is hit who has nothing to do: they get more.
            bonus += step / 2;
        }
    }

    /** Whether somebody was hit. */
    private boolean strike(List<Fleet.Member> ready) throws SQLException {
        Fleet.Member victim = ready.get(random.nextInt(ready.size()));
        victim.process().freeze();
        List<String> tokens = sight.leasesOf(victim.process().pid());
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
                long atLeast = lease.toNanos() + more;
                pause = new Pause(victim, tokens, System.nanoTime(), atLeast);
            }
        }
        return true;
    }

    private boolean isOver(Pause current) throws SQLException {
        long nanos = System.nanoTime() - current.begin();
        if (nanos > LONGEST_PAUSE * lease.toNanos()) {
            return true;
        }
        return nanos > current.atLeast() && !sight.anyLeaseOf(current.tokens());
    }

    /** How many messages may be stored by now: the last ones only when nothing is left to be struck. */
    public int allowance() {
        return (int) Math.ceil(ahead + (struck + 1) * step + bonus);
    }

    public boolean isSomebodyPaused() {
        return pause != null;
    }

    public int kills() {
        return kills;
    }

    public int pauses() {
        return pauses;
    }
}
