// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.acceptance.programme.IdempotentProducer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Sends the messages to the broker, spread over the time, some of them twice, and remembers which ones the broker acknowledged
 * and where they are. It goes to the broker directly: what it is told is the truth. Ends by itself.
 */
final class Sender implements Runnable, AutoCloseable {

    private static final long TICK_NANOS = 5_000_000;
    private static final Duration OUTAGE = Duration.ofMinutes(4);

    /** One in as many comes once more, at once or later. */
    private static final int COPIES = 20;

    private static final int MEMORY = 500;

    /** Of the time in which things go wrong. */
    private static final double SHARE = 0.97;

    private final List<Workload.Item> items;
    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Random random;
    private final long nanos;
    private final long[] offsets;
    private final int[] partitions;
    private final BitSet acked = new BitSet();
    private int copies;
    private @Nullable Exception failure;
    private volatile boolean ended;
    private volatile boolean stopped;

    Sender(Workload workload, String bootstrap, String topic, Options options) {
        this.items = workload.items();
        this.topic = topic;
        this.random = new Random(options.seed() + 2);
        this.nanos = (long) (options.millis() * 1_000_000 * SHARE);
        this.offsets = new long[items.size()];
        this.partitions = new int[items.size()];
        this.producer = IdempotentProducer.on(bootstrap, OUTAGE, Map.of());
    }

    @Override
    public void run() {
        long begin = System.nanoTime();
        try {
            int next = 0;
            while (next < items.size() && !stopped) {
                double passed = (double) (System.nanoTime() - begin) / nanos;
                int due = (int) Math.min(items.size(), Math.ceil(items.size() * passed));
                while (next < due) {
                    send(items.get(next++));
                    if (random.nextInt(COPIES) == 0) {
                        int back = random.nextBoolean() ? Math.min(next, MEMORY) : next;
                        send(items.get(next - 1 - random.nextInt(back)));
                    }
                }
                LockSupport.parkNanos(TICK_NANOS);
            }
            producer.flush();
        } catch (RuntimeException unexpected) {
            failed(unexpected);
        } finally {
            ended = true;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told
    private void send(Workload.Item item) {
        producer.send(item.record(topic), (sent, failed) -> {
            if (failed != null) {
                failed(failed);
            } else {
                acknowledged(item, sent);
            }
        });
    }

    /** The first copy is the one that counts: it has the lowest offset, since both have the same key. */
    private synchronized void acknowledged(Workload.Item item, RecordMetadata sent) {
        if (acked.get(item.nr())) {
            copies++;
            return;
        }
        acked.set(item.nr());
        offsets[item.nr()] = sent.offset();
        partitions[item.nr()] = sent.partition();
    }

    private synchronized void failed(Exception why) {
        failure = why;
    }

    synchronized int acked() {
        return acked.cardinality();
    }

    synchronized boolean isAcked(Workload.Item item) {
        return acked.get(item.nr());
    }

    synchronized int copies() {
        return copies;
    }

    int partitionOf(Workload.Item item) {
        return partitions[item.nr()];
    }

    long offsetOf(Workload.Item item) {
        return offsets[item.nr()];
    }

    boolean hasEnded() {
        return ended;
    }

    /** Throws what it met and did not understand: without the whole truth nothing can be judged. */
    synchronized void check() {
        if (failure != null) {
            throw new IllegalStateException("The producer failed", failure);
        }
    }

    @Override
    public void close() {
        stopped = true;
        producer.close(Duration.ofSeconds(5));
    }
}
