// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Quantiles;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.benchmarks.rig.WrongEffectsException;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a message takes through the library as an application uses it, with its own workers: from the call that stores
 * it until its effect is committed.
 */
final class Latency implements AutoCloseable {

    private static final String CONSUMER = "latency";
    private static final Duration LATEST = Duration.ofSeconds(60);

    private final Arena arena;
    private final Inbox inbox;
    private final SplittableRandom random;
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final Queue<Double> millis = new ConcurrentLinkedQueue<>();
    private final AtomicLong done = new AtomicLong();

    /**
     * What was found at one load.
     *
     * @param wanted messages per second
     * @param reached messages per second that could be stored
     */
    record Finding(double wanted, double reached, Quantiles millis) {}

    Latency(Arena arena, int workers, long seed) {
        this.arena = arena;
        this.random = new SplittableRandom(seed);
        this.inbox =
                Inbox.on(arena.dataSource()).createSchema().listener(this::hear).start();
        inbox.subscribe(CONSUMER)
                .policy(ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .work(WorkPolicy.defaults().workers(workers).batch(100)))
                .on(Workload.TYPE, Message.class, (message, context) -> Accounts.depositLater(context))
                .start();
    }

    /** Told after the commit. */
    private void hear(InboxEvent event) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            MessageId id = received.id();
            Long begin = id == null ? null : begun.remove(id.id());
            if (begin != null) {
                millis.add((System.nanoTime() - begin) / 1e6);
                done.incrementAndGet();
            }
        }
    }

    /** Stores what has come due so far, at most a batch at once, at that many messages per second; waits for all. */
    Finding at(double perSecond, Duration time) {
        System.out.printf("Latency at %.0f msg/s for %d s%n", perSecond, time.toSeconds());
        // What was just started is not what is asked for.
        load(perSecond, time.dividedBy(4));
        return load(perSecond, time);
    }

    private Finding load(double perSecond, Duration time) {
        Feed feed = new Feed(random.split(), 0, 1, false);
        long effectsBefore = arena.ask(Accounts.EFFECTS);
        millis.clear();
        done.set(0);
        long begin = System.nanoTime();
        long messages = Math.max(1, (long) (perSecond * time.toNanos() / 1e9));
        while (feed.fresh() < messages) {
            long due = Math.min(messages, 1 + (long) ((System.nanoTime() - begin) * perSecond / 1e9));
            int waiting = (int) Math.min(Station.INTAKE, due - feed.fresh());
            if (waiting == 0) {
                LockSupport.parkNanos(Math.max(1, begin + (long) (feed.fresh() * 1e9 / perSecond) - System.nanoTime()));
            } else {
                store(feed.next(waiting));
            }
        }
        double reached = messages * 1e9 / (System.nanoTime() - begin);
        awaitAll(messages);
        long effects = arena.ask(Accounts.EFFECTS) - effectsBefore;
        if (effects != messages || millis.size() != messages) {
            throw new WrongEffectsException("Latency: %d messages were stored, %d answers and %d effects were seen."
                    .formatted(messages, millis.size(), effects));
        }
        return new Finding(
                perSecond,
                reached,
                Quantiles.of(millis.stream().mapToDouble(Double::doubleValue).toArray()));
    }

    private void store(List<Message> batch) {
        long now = System.nanoTime();
        batch.forEach(message -> begun.put(message.id().orElseThrow(), now));
        inbox.store(CONSUMER, batch);
    }

    private void awaitAll(long messages) {
        long deadline = System.nanoTime() + LATEST.toNanos();
        while (done.get() < messages) {
            if (System.nanoTime() > deadline) {
                throw new WrongEffectsException("Latency: %d messages were stored and %d worked on within %s."
                        .formatted(messages, done.get(), LATEST));
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        inbox.close();
    }
}
