// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** One of several processes that handle the same messages at the same time; prints what it saw. */
final class SameMessagesWorker {

    private static final int THREADS = 4;
    private static final int BATCH = 50;

    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicInteger duplicates = new AtomicInteger();
    private final AtomicInteger withoutResult = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        int seed = Integer.parseInt(args[2]);
        SameMessagesWorker worker = new SameMessagesWorker();
        try (TestDatabase database = TestDatabase.on(args[0]);
                Inbox inbox =
                        Inbox.on(database.dataSource()).listener(worker::listen).start()) {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int shuffle = seed * 100 + thread;
                running.add(threads.submit(() -> worker.deliverAll(inbox, count, shuffle)));
            }
            for (Future<?> each : running) {
                each.get();
            }
            threads.shutdown();
        }
        System.out.println("completed=" + worker.completed + " duplicates=" + worker.duplicates + " without-result="
                + worker.withoutResult + " repeated=" + worker.repeated);
    }

    private void listen(InboxEvent event) {
        if (event instanceof InboxEvent.BatchRetried) {
            repeated.incrementAndGet();
        }
    }

    private void deliverAll(Inbox inbox, int count, int seed) {
        List<Message> messages = new ArrayList<>(IntStream.range(0, count)
                .mapToObj(i ->
                        Message.of("m" + i, "OrderPlaced", "{\"n\":" + i + "}").from("/orders"))
                .toList());
        // Threads meet each other all the time, but not in the same order.
        for (int from = 0; from < count; from += BATCH * 4) {
            Collections.shuffle(messages.subList(from, Math.min(from + BATCH * 4, count)), new Random(seed + from));
        }
        for (int from = 0; from < count; from += BATCH) {
            deliverUntilAcknowledged(inbox, messages.subList(from, Math.min(from + BATCH, count)));
        }
    }

    private void deliverUntilAcknowledged(Inbox inbox, List<Message> batch) {
        List<Message> open = batch;
        for (int round = 0; !open.isEmpty(); round++) {
            if (round > 1_000) {
                throw new AssertionError("Never acknowledged: " + open);
            }
            List<Receipt> receipts = inbox.handleAll("billing", open, context -> {
                context.later("insert into effect (id) values (?)", context.id().id());
                context.result("\"" + context.id().id() + "\"");
            });
            List<Message> again = new ArrayList<>();
            for (int i = 0; i < open.size(); i++) {
                count(open.get(i), receipts.get(i), again);
            }
            open = again;
        }
    }

    private void count(Message message, Receipt receipt, List<Message> again) {
        if (!receipt.acknowledges()) {
            again.add(message);
            return;
        }
        boolean isDuplicate = receipt.kind() == Receipt.Kind.DUPLICATE;
        (isDuplicate ? duplicates : completed).incrementAndGet();
        String expected = "\"" + message.id().orElseThrow() + "\"";
        if (!receipt.result().map(result -> result.text().equals(expected)).orElse(false)) {
            withoutResult.incrementAndGet();
        }
    }
}
