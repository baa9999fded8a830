// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Position;
import io.idembox.Receipt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Direct mode writes nothing before a handler runs, so a message that ends the process would do so for ever. Therefore the
 * process says which lanes (topic and partition) it reads and how many messages of each it may have in flight; nothing is
 * written per message. Whoever takes a lane over from a process that went away without a word handles as many messages of it
 * with care: claimed first, one at a time. Thread-safe.
 */
final class CrashGuard {

    private static final Logger log = LoggerFactory.getLogger(CrashGuard.class);

    /**
     * A lane that nothing came from for so long may have been somebody else's meanwhile, so the table is asked. Shorter than
     * any broker takes to notice that a process is gone and to give its lanes to another one; busy lanes are never asked for.
     */
    private static final Duration STALE_AFTER = Duration.ofSeconds(1);

    private static final int CHANNEL_LIMIT = 1_000;

    private final OwnerStore owners;
    private final Consumer consumer;
    private final Function<Message, MessageId> identities;
    private final InstantSource clock;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final Set<MessageId> suspects = ConcurrentHashMap.newKeySet();

    CrashGuard(OwnerStore owners, Consumer consumer, Function<Message, MessageId> identities, InstantSource clock) {
        this.owners = owners;
        this.identities = identities;
        this.consumer = consumer;
        this.clock = clock;
    }

    /** A message was there when a process ended, and is not going to be handled together with others. */
    void suspect(MessageId id) {
        suspects.add(id);
    }

    /** Whether one of the messages may have ended a process. */
    boolean calls(List<Message> messages) {
        return messages.stream().anyMatch(this::calls);
    }

    /** Whether the message may have ended a process. */
    boolean calls(Message message) {
        return message.position()
                        .map(CrashGuard::laneOf)
                        .filter(lane -> owned(lane).isCareful())
                        .isPresent()
                || (!suspects.isEmpty() && suspects.contains(identities.apply(message)));
    }

    private Lane owned(String name) {
        Instant now = clock.instant();
        Lane lane = lanes.computeIfAbsent(name, first -> takeOver(first, new AtomicInteger()));
        // Race: two threads may ask at the same time; the answer is the same.
        if (lane.isFresh(now) || owners.allow(consumer, name, lane.allowed())) {
            lane.seen(now);
            return lane;
        }
        return takenOverAnew(name, lane);
    }

    private Lane takeOver(String lane, AtomicInteger inFlight) {
        Optional<Integer> left = owners.takeOver(consumer, lane);
        left.filter(count -> count > 0)
                .ifPresent(count -> log.warn(
                        "Consumer {}: whoever read {} before went away without a word. The next {} messages of it are"
                                + " handled one at a time and claimed first, in case one of them was the reason.",
                        consumer.name(),
                        lane,
                        count));
        return new Lane(left.orElse(0), inFlight, clock.instant());
    }

    /** Somebody else took the lane, and it came back; what this process knew about it is from before. */
    private Lane takenOverAnew(String name, Lane lost) {
        return lanes.compute(
                name, (lane, known) -> known == null || known == lost ? takeOver(lane, lost.inFlight) : known);
    }

    /**
     * The messages are in flight from now on, which is written down if there were never so many.
     *
     * @return empty when it turned out that one of them calls for care; then none of them is
     */
    Optional<Flight> begin(List<Message> messages) {
        Flight flight = new Flight();
        boolean begun = false;
        try {
            for (Map.Entry<String, Integer> each : countedByLane(messages).entrySet()) {
                if (!begin(flight, each.getKey(), each.getValue())) {
                    return Optional.empty();
                }
            }
            begun = true;
            return Optional.of(flight);
        } finally {
            if (!begun) {
                flight.end();
            }
        }
    }

    /** False when the lane was lost meanwhile and calls for care now. */
    private boolean begin(Flight flight, String name, int count) {
        Lane lane = owned(name);
        int wanted = flight.add(lane, count);
        if (wanted == 0) {
            return true;
        }
        if (!owners.allow(consumer, name, wanted)) {
            flight.leave(lane);
            lane = takenOverAnew(name, lane);
            if (lane.isCareful()) {
                return false;
            }
            wanted = flight.add(lane, count);
            if (!owners.allow(consumer, name, wanted)) {
                // Race: somebody else took it once more. It is said the next time, if there is one.
                return true;
            }
        }
        // Crash here: more is allowed for than is in flight; whoever takes over is careful for longer than needed.
        lane.allow(wanted);
        return true;
    }

    /** A message was handled with care, and the process is still there. */
    void survived(Message message, Receipt receipt) {
        if (receipt.kind() == Receipt.Kind.BUSY) {
            return;
        }
        if (!suspects.isEmpty()) {
            suspects.remove(identities.apply(message));
        }
        if (receipt.kind() != Receipt.Kind.DUPLICATE) {
            message.position().map(CrashGuard::laneOf).map(lanes::get).ifPresent(Lane::survived);
        }
    }

    private static Map<String, Integer> countedByLane(List<Message> messages) {
        Map<String, Integer> counts = new HashMap<>();
        for (Message message : messages) {
            message.position().ifPresent(position -> counts.merge(laneOf(position), 1, Integer::sum));
        }
        return counts;
    }

    /** A name that can be stored, whatever the channel is called. */
    private static String laneOf(Position position) {
        String channel = position.channel();
        String name = Admission.isStorable(channel, CHANNEL_LIMIT)
                ? channel
                : "hash:" + UUID.nameUUIDFromBytes(channel.getBytes(StandardCharsets.UTF_8));
        return name + "/" + position.partition();
    }

    /** Gives the lanes back that nothing is in flight of. */
    void close() {
        Set<String> mine = new HashSet<>();
        lanes.forEach((name, lane) -> {
            if (lane.isIdle()) {
                mine.add(name);
            }
        });
        if (mine.isEmpty()) {
            return;
        }
        try {
            owners.release(consumer, mine);
        } catch (InboxException unavailable) {
            log.warn(
                    "Consumer {}: that it stopped reading could not be written down. Whoever reads next is careful for a"
                            + " while. {}",
                    consumer.name(),
                    unavailable.getMessage());
        }
    }

    /** Messages that are being handled together. Not thread-safe. */
    static final class Flight {

        private final Map<Lane, Integer> counts = new HashMap<>();

        /** How many have to be allowed for from now on; 0 when that was said before. */
        private int add(Lane lane, int count) {
            counts.put(lane, count);
            return lane.begin(count);
        }

        private void leave(Lane lane) {
            Integer count = counts.remove(lane);
            if (count != null) {
                lane.end(count);
            }
        }

        void end() {
            counts.forEach(Lane::end);
            counts.clear();
        }
    }

    /** A topic's partition, or whatever one process reads at a time. */
    private static final class Lane {

        private final AtomicInteger inFlight;
        private int careful;
        private int allowed;
        private Instant seenAt;

        /** @param inFlight goes on counting when the lane was lost in between */
        Lane(int careful, AtomicInteger inFlight, Instant now) {
            this.careful = careful;
            this.inFlight = inFlight;
            this.allowed = careful;
            this.seenAt = now;
        }

        /** Whether something came from it a moment ago. */
        synchronized boolean isFresh(Instant now) {
            return now.isBefore(seenAt.plus(STALE_AFTER));
        }

        synchronized void seen(Instant now) {
            seenAt = now;
        }

        synchronized boolean isCareful() {
            return careful > 0;
        }

        boolean isIdle() {
            return inFlight.get() == 0;
        }

        synchronized void survived() {
            careful = Math.max(0, careful - 1);
        }

        /** How many have to be allowed for from now on; 0 when that was said before. */
        synchronized int begin(int count) {
            int all = inFlight.addAndGet(count);
            return all <= allowed ? 0 : Math.max(16, Integer.highestOneBit(all - 1) * 2);
        }

        synchronized int allowed() {
            return allowed;
        }

        /** That many are written down. */
        synchronized void allow(int written) {
            allowed = Math.max(allowed, written);
        }

        void end(int count) {
            inFlight.addAndGet(-count);
        }
    }
}
