// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Quantiles;
import io.idembox.benchmarks.rig.WrongEffectsException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.DoubleStream;

/**
 * How long a message takes from the return of its commit until its target has confirmed it. One thread sends, one message in
 * a transaction, at a steady rate that leaves everybody time to rest; the relay in the same process is told of each commit.
 */
final class Latency {

    private static final Duration LATEST = Duration.ofSeconds(60);

    private final Arena arena;
    private final double perSecond;
    private final SplittableRandom messages;
    private final Random order;

    /** Who is asked, and where it sends. */
    record Seat(Office.Opening opening, Target target) {

        String name() {
            return opening.name() + ", " + target.name();
        }
    }

    Latency(Arena arena, double perSecond, long seed) {
        this.arena = arena;
        this.perSecond = perSecond;
        this.messages = new SplittableRandom(seed);
        this.order = new Random(seed);
    }

    double perSecond() {
        return perSecond;
    }

    /** Everybody in turn, several times in shuffled order; all figures of one together, in milliseconds. */
    Map<Seat, Quantiles> of(List<Seat> seats, int turns, Duration time) throws SQLException {
        Map<Seat, List<Double>> millis = new LinkedHashMap<>();
        seats.forEach(seat -> millis.put(seat, new ArrayList<>()));
        for (int turn = 0; turn < turns; turn++) {
            List<Seat> shuffled = new ArrayList<>(seats);
            Collections.shuffle(shuffled, order);
            for (Seat seat : shuffled) {
                List<Double> found = turn(seat, time);
                millis.merge(seat, found, Latency::together);
                Quantiles these = quantiles(found);
                System.out.printf(
                        "Latency at %.0f msg/s, %-40s p50 %6.2f ms, p99 %6.2f ms%n",
                        perSecond, seat.name(), these.p50(), these.p99());
            }
        }
        Map<Seat, Quantiles> findings = new LinkedHashMap<>();
        millis.forEach((seat, found) -> findings.put(seat, quantiles(found)));
        return findings;
    }

    private static List<Double> together(List<Double> before, List<Double> more) {
        before.addAll(more);
        return before;
    }

    private static Quantiles quantiles(List<Double> millis) {
        return Quantiles.of(
                DoubleStream.of(millis.stream().mapToDouble(Double::doubleValue).toArray())
                        .toArray());
    }

    private List<Double> turn(Seat seat, Duration time) throws SQLException {
        arena.empty(seat.opening().tables());
        TimedTarget target = new TimedTarget(seat.target());
        Map<String, Long> committed = new ConcurrentHashMap<>();
        Map<String, Long> marked = new ConcurrentHashMap<>();
        Office.Ears ears =
                new Office.Ears(id -> committed.put(id, System.nanoTime()), id -> marked.put(id, System.nanoTime()));
        try (Office office = seat.opening().open(target, ears)) {
            office.startRelay();
            // What was just started is not what is asked for.
            send(seat, office, time.dividedBy(4), marked);
            target.begin();
            List<Message> sent = send(seat, office, time, marked);
            new Manifest(sent.stream().map(Arrival::of).toList(), seat.opening().keepsOrder())
                    .orThrow("Latency of " + seat.name(), target.arrivals());
            return sent.stream()
                    .map(message -> message.id().orElseThrow())
                    // Whoever looks by itself may see the commit before its return.
                    .map(id -> Math.max(0, target.confirmedAt(id) - committed.getOrDefault(id, 0L)) / 1e6)
                    .toList();
        }
    }

    /** Returns when all of them are marked. */
    private List<Message> send(Seat seat, Office office, Duration time, Map<String, Long> marked) throws SQLException {
        long count = Math.max(1, (long) (perSecond * time.toNanos() / 1e9));
        Feed feed = new Feed(messages.split(), 0, 1, false);
        List<Message> sent = new ArrayList<>();
        int before = marked.size();
        long begin = System.nanoTime();
        while (sent.size() < count) {
            long due = begin + (long) (sent.size() * 1e9 / perSecond);
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            Message message = feed.next(1).get(0);
            Message delivery = seat.opening().keepsOrder() ? Letters.keyed(message) : Letters.unkeyed(message);
            office.send(List.of(delivery));
            sent.add(delivery);
        }
        long deadline = System.nanoTime() + LATEST.toNanos();
        while (marked.size() - before < count) {
            if (System.nanoTime() > deadline) {
                throw new WrongEffectsException("Latency of %s: %d messages were sent and %d marked within %s."
                        .formatted(seat.name(), count, marked.size() - before, LATEST));
            }
            LockSupport.parkNanos(1_000_000);
        }
        return sent;
    }
}
