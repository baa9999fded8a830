// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import io.idembox.Inbox;
import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.Receipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Stores the messages of some keys in their order, like a broker that partitions by key: what is not acknowledged comes
 * again before anything else does, and now and then something comes twice. Ends by itself. Not thread-safe, but its figures
 * may be read.
 */
final class Producer implements Runnable {

    private static final int BATCH = 100;
    private static final int COPIES = 10;

    /** How far back every other copy reaches; the rest may be of anything. */
    private static final int MEMORY = 2_000;

    private static final long PAUSE_NANOS = 5_000_000;

    private final Inbox inbox;
    private final List<Workload.Item> items;
    private final AtomicInteger allowance;
    private final Random random;
    private final AtomicInteger stored = new AtomicInteger();
    private final Map<Receipt.Kind, Integer> answers = new ConcurrentHashMap<>();
    private volatile boolean stopped;
    private volatile RuntimeException failure;

    /** @param allowance messages with this number or a greater one have to wait */
    Producer(Inbox inbox, List<Workload.Item> items, AtomicInteger allowance, long seed) {
        this.inbox = inbox;
        this.items = items;
        this.allowance = allowance;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        try {
            while (stored.get() < items.size() && !stopped) {
                int from = stored.get();
                int to = from;
                while (to < items.size() && to < from + BATCH && items.get(to).nr() < allowance.get()) {
                    to++;
                }
                if (to == from) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                    continue;
                }
                deliver(withCopies(from, to));
                stored.set(to);
            }
        } catch (RuntimeException unexpected) {
            failure = unexpected;
        }
    }

    /** New ones in their order; copies of what was stored before anywhere between them, of the new ones behind them. */
    private List<Message> withCopies(int from, int to) {
        List<Message> batch = new ArrayList<>();
        items.subList(from, to).forEach(item -> batch.add(item.message()));
        for (int i = 0; i < COPIES && from > 0; i++) {
            int copied = from - 1 - random.nextInt(i % 2 == 0 ? from : Math.min(from, MEMORY));
            batch.add(random.nextInt(batch.size() + 1), items.get(copied).message());
        }
        batch.add(items.get(from + random.nextInt(to - from)).message());
        return batch;
    }

    private void deliver(List<Message> batch) {
        List<Message> open = batch;
        while (!open.isEmpty() && !stopped) {
            List<Message> again = new ArrayList<>();
            try {
                List<Receipt> receipts = inbox.store(ClusterConsumer.CONSUMER, open);
                for (int i = 0; i < receipts.size(); i++) {
                    answers.merge(receipts.get(i).kind(), 1, Integer::sum);
                    if (!receipts.get(i).acknowledges()) {
                        again.add(open.get(i));
                    }
                }
            } catch (InboxException unavailable) {
                again.addAll(open);
            }
            open = again;
        }
    }

    /** Everything once more, when all of it was stored; what each one was answered. */
    Map<String, Receipt.Kind> deliverAgain() {
        Map<String, Receipt.Kind> answered = new ConcurrentHashMap<>();
        for (int from = 0; from < items.size() && !stopped; from += 5 * BATCH) {
            List<Workload.Item> some = items.subList(from, Math.min(items.size(), from + 5 * BATCH));
            List<Receipt> receipts = inbox.store(
                    ClusterConsumer.CONSUMER,
                    some.stream().map(Workload.Item::message).toList());
            for (int i = 0; i < receipts.size(); i++) {
                answered.put(some.get(i).id(), receipts.get(i).kind());
            }
        }
        return answered;
    }

    int stored() {
        return stored.get();
    }

    Map<Receipt.Kind, Integer> answers() {
        return answers;
    }

    void stop() {
        stopped = true;
    }

    /** Throws what it met and did not understand. */
    void check() {
        if (failure != null) {
            throw new IllegalStateException("The producer ended", failure);
        }
    }
}
