// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * What goes wrong, and when; the same for the same seed. Each kind is spread over the time: its n-th comes somewhere in the n-th
 * part. There is a little more of each than there has to be.
 */
final class Plan {

    /** What can go wrong. */
    enum Kind {
        /** kill -9 of a consumer. */
        KILL(60),
        /** SIGSTOP of a consumer for longer than its leases, or than its session with the broker. */
        FREEZE(10),
        /** kill -9 of the database, all of it. */
        DATABASE_KILL(4),
        /** An orderly restart of the broker, or kill -9, in turn. */
        BROKER_RESTART(2),
        /** All connections of the consumers to the database, to the broker, or to both. */
        CUT(20);

        private final int inThreeMinutes;

        Kind(int inThreeMinutes) {
            this.inThreeMinutes = inThreeMinutes;
        }

        int least(Options options) {
            return options.share(inThreeMinutes);
        }
    }

    /**
     * One fault.
     *
     * @param atMillis when it is due, from the beginning
     * @param dice decides whatever is left to chance
     */
    record Strike(Kind kind, int number, long atMillis, int dice) {

        @Override
        public String toString() {
            return kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + " " + number;
        }
    }

    private static final long WARM_UP_MILLIS = 4_000;
    private static final int DICE = 1_000_000;

    private final List<Strike> strikes = new ArrayList<>();
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

    Plan(Options options) {
        Random random = new Random(options.seed());
        double span = options.millis() - 2.0 * WARM_UP_MILLIS;
        for (Kind kind : Kind.values()) {
            int least = kind.least(options);
            int count = least + Math.max(1, least / 10);
            counts.put(kind, count);
            for (int number = 0; number < count; number++) {
                long at = WARM_UP_MILLIS + Math.round(span * (number + random.nextDouble()) / count);
                strikes.add(new Strike(kind, number + 1, at, random.nextInt(DICE)));
            }
        }
        strikes.sort(Comparator.comparingLong(Strike::atMillis));
    }

    /** By the time when they are due. */
    List<Strike> strikes() {
        return List.copyOf(strikes);
    }

    @Override
    public String toString() {
        return strikes.size() + " faults planned: " + counts;
    }
}
