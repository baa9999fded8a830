// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Position;
import io.idembox.Receipt;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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

    private static final int CHANNEL_LIMIT = 1_000;

    private final OwnerStore owners;
    private final Consumer consumer;
    private final Function<Message, MessageId> identities;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final Set<MessageId> suspects = ConcurrentHashMap.newKeySet();

    CrashGuard(OwnerStore owners, Consumer consumer, Function<Message, MessageId> identities) {
        this.owners = owners;
        this.identities = identities;
        this.consumer = consumer;
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
        return lanes.computeIfAbsent(name, lane -> {
            Optional<Integer> left = owners.takeOver(consumer, lane);
            left.filter(count -> count > 0)
                    .ifPresent(count -> log.warn(
                            "Consumer {}: whoever read {} before went away without a word. The next {} messages of it are"
                                    + " handled one at a time and claimed first, in case one of them was the reason.",
                            consumer.name(),
                            lane,
                            count));
            return new Lane(left.orElse(0));
        });
    }

    /** The messages are in flight from now on, which is written down if there were never so many. */
    void begin(List<Message> messages) {
        countedByLane(messages).forEach((name, count) -> {
            int inFlight = owned(name).begin(count);
            if (inFlight > 0) {
                owners.allow(consumer, name, inFlight);
            }
        });
    }

    void end(List<Message> messages) {
        countedByLane(messages).forEach((name, count) -> owned(name).end(count));
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
            message.position()
                    .map(CrashGuard::laneOf)
                    .ifPresent(name -> owned(name).survived());
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

    /** Nothing is in flight any more. */
    void close() {
        Set<String> mine = new HashSet<>(lanes.keySet());
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

    /** A topic's partition, or whatever one process reads at a time. */
    private static final class Lane {

        private int careful;
        private int inFlight;
        private int allowed;

        Lane(int careful) {
            this.careful = careful;
            this.allowed = careful;
        }

        synchronized boolean isCareful() {
            return careful > 0;
        }

        synchronized void survived() {
            careful = Math.max(0, careful - 1);
        }

        /** How many have to be allowed for from now on; 0 when that was said before. */
        synchronized int begin(int count) {
            inFlight += count;
            if (inFlight <= allowed) {
                return 0;
            }
            allowed = Math.max(16, Integer.highestOneBit(inFlight - 1) * 2);
            return allowed;
        }

        synchronized void end(int count) {
            inFlight -= count;
        }
    }
}
