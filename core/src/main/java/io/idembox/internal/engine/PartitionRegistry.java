// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.Position;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lanes (topic and partition) that this process reads for one consumer. A source takes them and is told when they are
 * lost; those of messages that somebody else brings are taken when the first one comes. Thread-safe.
 */
final class PartitionRegistry implements Partitions {

    private static final Logger log = LoggerFactory.getLogger(PartitionRegistry.class);

    private static final int CHANNEL_LIMIT = 1_000;

    private final PartitionStore owners;
    private final RegisteredConsumer consumer;
    private final InstantSource clock;
    private final Map<String, PartitionState> partitions = new ConcurrentHashMap<>();
    private final Map<String, Held> ownerships = new ConcurrentHashMap<>();

    PartitionRegistry(PartitionStore owners, RegisteredConsumer consumer, InstantSource clock) {
        this.owners = owners;
        this.consumer = consumer;
        this.clock = clock;
    }

    @Override
    public PartitionOwnership take(String channel, int partition) {
        String name = nameOf(channel, partition);
        UUID token = UUID.randomUUID();
        PartitionStore.Before before = owners.takeOver(consumer, name, token);
        // Crash here: the lane is ours, nothing of it is in flight, and whoever takes it next has nothing to fear from
        // us.
        partitions.compute(name, (lane, known) -> opened(lane, token, before, countedBy(known)));
        return Objects.requireNonNull(ownerships.compute(name, (lane, earlier) -> {
            if (earlier == null) {
                return new Held(name, token, before, false);
            }
            earlier.held = false;
            return new Held(name, token, before, earlier.isRewoundBy(before));
        }));
    }

    @Override
    public Map<PartitionOwnership, SaveResult> savePositions(Map<PartitionOwnership, ReadPosition> positions) {
        Map<String, PartitionStore.Step> steps = new HashMap<>();
        Map<PartitionOwnership, SaveResult> saveResult = new HashMap<>();
        positions.forEach((ownership, reading) -> {
            Held own = (Held) ownership;
            saveResult.put(own, SaveResult.LOST);
            if (own.held) {
                steps.put(own.name, own.step(reading));
            }
        });
        Map<String, SaveResult> answers = steps.isEmpty() ? Map.of() : owners.reached(consumer, steps);
        positions.forEach((ownership, reading) -> {
            Held own = (Held) ownership;
            SaveResult answer = own.held ? answers.getOrDefault(own.name, SaveResult.LOST) : SaveResult.LOST;
            own.answered(reading, answer);
            saveResult.put(own, answer);
        });
        return saveResult;
    }

    /** Whether a source read the lane of one of the messages, and does not any more. */
    boolean areLost(List<Message> messages) {
        return !ownerships.isEmpty() && messages.stream().anyMatch(this::isLost);
    }

    private boolean isLost(Message message) {
        return message.position()
                .map(position -> ownerships.get(laneOf(position)))
                .filter(tenure -> !tenure.held)
                .isPresent();
    }

    /** The intake, on condition that the lanes which a source took for the messages are still this process's. */
    BatchSource fenced(List<Message> messages, BatchSource source) {
        Map<String, UUID> tokens = new HashMap<>();
        for (Message message : messages) {
            message.position()
                    .map(position -> ownerships.get(laneOf(position)))
                    .ifPresent(tenure -> tokens.put(tenure.name, tenure.token));
        }
        return tokens.isEmpty() ? source : new FencedBatchSource(source, owners, consumer, tokens, () -> lost(tokens));
    }

    /** Somebody else has them; which one of several it was, is asked when they are taken again. */
    private void lost(Map<String, UUID> tokens) {
        tokens.forEach((name, token) -> {
            Held tenure = ownerships.get(name);
            if (tenure != null && tenure.token.equals(token)) {
                tenure.held = false;
            }
        });
    }

    /** Whether the next messages of the message's lane are handled with care. */
    boolean isCareful(Message message) {
        return message.position()
                .map(PartitionRegistry::laneOf)
                .filter(lane -> owned(lane).isCareful())
                .isPresent();
    }

    private PartitionState owned(String name) {
        Instant now = clock.instant();
        PartitionState lane = partitions.computeIfAbsent(name, first -> takeOver(first, new AtomicInteger()));
        // Race: two threads may ask at the same time; the answer is the same.
        if (ownerships.containsKey(name)
                || lane.isFresh(now)
                || owners.allow(consumer, name, lane.token(), lane.allowed())) {
            lane.seen(now);
            return lane;
        }
        return takenOverAnew(name, lane);
    }

    private PartitionState takeOver(String lane, AtomicInteger inFlight) {
        UUID token = UUID.randomUUID();
        return opened(lane, token, owners.takeOver(consumer, lane, token), inFlight);
    }

    private PartitionState opened(String lane, UUID token, PartitionStore.Before before, AtomicInteger inFlight) {
        if (before.inFlight() > 0) {
            log.warn(
                    "Consumer {}: whoever read {} before went away without a word. The next {} messages of it are"
                            + " handled one at a time and claimed first, in case one of them was the reason.",
                    consumer.name(),
                    lane,
                    before.inFlight());
        }
        return new PartitionState(token, before.inFlight(), inFlight, clock.instant());
    }

    private static AtomicInteger countedBy(@Nullable PartitionState known) {
        return known == null ? new AtomicInteger() : known.inFlight();
    }

    /** Somebody else took the lane, and it came back; what this process knew about it is from before. */
    private PartitionState takenOverAnew(String name, PartitionState lost) {
        return Objects.requireNonNull(partitions.compute(
                name, (lane, known) -> known == null || known == lost ? takeOver(lane, lost.inFlight()) : known));
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
        PartitionState lane = owned(name);
        int wanted = flight.add(lane, count);
        if (wanted == 0) {
            return true;
        }
        if (!owners.allow(consumer, name, lane.token(), wanted)) {
            if (ownerships.containsKey(name)) {
                // The source takes it again, if it may. Until then the fence lets nothing through.
                lost(Map.of(name, lane.token()));
                return true;
            }
            flight.leave(lane);
            lane = takenOverAnew(name, lane);
            if (lane.isCareful()) {
                return false;
            }
            wanted = flight.add(lane, count);
            if (!owners.allow(consumer, name, lane.token(), wanted)) {
                // Race: somebody else took it once more. It is said the next time, if there is one.
                return true;
            }
        }
        // Crash here: more is allowed for than is in flight; whoever takes over is careful for longer than needed.
        lane.allow(wanted);
        return true;
    }

    /** A message of the lane was handled with care, and the process is still there. */
    void survived(Message message) {
        message.position().map(PartitionRegistry::laneOf).map(partitions::get).ifPresent(PartitionState::survived);
    }

    private static Map<String, Integer> countedByLane(List<Message> messages) {
        Map<String, Integer> counts = new HashMap<>();
        for (Message message : messages) {
            message.position().ifPresent(position -> counts.merge(laneOf(position), 1, Integer::sum));
        }
        return counts;
    }

    private static String laneOf(Position position) {
        return nameOf(position.channel(), position.partition());
    }

    /** A name that can be stored, whatever the channel is called. */
    private static String nameOf(String channel, int partition) {
        String name = UnstorableText.isStorable(channel, CHANNEL_LIMIT)
                ? channel
                : "hash:" + UUID.nameUUIDFromBytes(channel.getBytes(StandardCharsets.UTF_8));
        return name + "/" + partition;
    }

    /** Gives the lanes back that nothing is in flight of. */
    void close() {
        Map<String, UUID> mine = new HashMap<>();
        partitions.forEach((name, lane) -> {
            if (lane.isIdle()) {
                mine.put(name, lane.token());
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

    /** A lane that a source took. */
    private final class Held implements PartitionOwnership {

        private final String name;
        private final UUID token;
        private final PartitionStore.Before before;
        private final boolean rewound;
        private volatile PartitionStore.Expected expected;
        private volatile boolean held = true;
        private volatile boolean written;
        private volatile boolean forgotten;

        Held(String name, UUID token, PartitionStore.Before before, boolean rewound) {
            this.name = name;
            this.token = token;
            this.before = before;
            this.rewound = rewound;
            this.expected = PartitionStore.Expected.of(before.position());
        }

        /** The write of a position. Until its answer is there, the database has the old one or the new one. */
        private PartitionStore.Step step(ReadPosition reading) {
            PartitionStore.Step step = new PartitionStore.Step(token, reading, expected, before.timeline());
            // Crash here, of the connection: the commit may have happened. Both positions are this process's own.
            // Race: two writers of one lane may leave the lower position as the expected one. The lane is then opened
            // again.
            expected = expected.or(reading);
            return step;
        }

        private void answered(ReadPosition reading, SaveResult answer) {
            if (answer == SaveResult.SAVED) {
                expected = PartitionStore.Expected.of(reading);
                written = true;
                return;
            }
            held = false;
            forgotten |= answer == SaveResult.REWOUND;
        }

        @Override
        public Optional<ReadPosition> position() {
            return Optional.ofNullable(before.position());
        }

        @Override
        public boolean isRewound() {
            return rewound;
        }

        /** Also true for a lane that was taken but not read yet: the source takes a lane again until it has all it needs. */
        private boolean isRewoundBy(PartitionStore.Before next) {
            return forgotten || !before.timeline().equals(next.timeline()) || (rewound && !written);
        }

        @Override
        public boolean isHeld() {
            return held;
        }

        @Override
        public void release() {
            boolean wasHeld = held;
            held = false;
            PartitionState lane = partitions.get(name);
            if (wasHeld && lane != null && lane.token().equals(token) && lane.isIdle()) {
                owners.release(consumer, Map.of(name, token));
            }
        }

        @Override
        public String toString() {
            return name + (held ? "" : " (lost)");
        }
    }

    /** Messages that are being handled together. Not thread-safe. */
    static final class Flight {

        private final Map<PartitionState, Integer> counts = new HashMap<>();

        /** How many have to be allowed for from now on; 0 when that was said before. */
        private int add(PartitionState lane, int count) {
            counts.put(lane, count);
            return lane.begin(count);
        }

        private void leave(PartitionState lane) {
            Integer count = counts.remove(lane);
            if (count != null) {
                lane.end(count);
            }
        }

        void end() {
            counts.forEach(PartitionState::end);
            counts.clear();
        }
    }
}
