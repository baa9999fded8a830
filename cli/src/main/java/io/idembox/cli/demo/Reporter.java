// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.event.InboxEvent;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Counts the work of this process and prints the counts a few times a second. Thread-safe. */
final class Reporter {

    private static final long EVERY_NANOS = 200_000_000;

    private final String consumer;
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong duplicates = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong fenced = new AtomicLong();

    /** @param consumer the consumer whose deliveries are counted; publications of its relay are not */
    Reporter(String consumer) {
        this.consumer = consumer;
    }

    void start() {
        Thread thread = new Thread(this::report, "reports");
        thread.setDaemon(true);
        thread.start();
    }

    private void report() {
        String last = "";
        while (true) {
            String line = counts().line();
            if (!line.equals(last)) {
                System.out.println(line);
                last = line;
            }
            LockSupport.parkNanos(EVERY_NANOS);
        }
    }

    Counts counts() {
        return new Counts(handled.get(), duplicates.get(), failed.get(), fenced.get());
    }

    /** Counts an event of the inbox. A late relay that is refused counts as fenced too. */
    void listen(InboxEvent event) {
        if (event instanceof InboxEvent.OwnershipLost) {
            fenced.incrementAndGet();
        } else if (event.consumer().equals(consumer)) {
            count(event);
        }
    }

    private void count(InboxEvent event) {
        if (event instanceof InboxEvent.Received received) {
            handled.incrementAndGet();
            switch (received.receipt().kind()) {
                case DUPLICATE -> duplicates.incrementAndGet();
                case COMPLETED, SKIPPED, STORED, BUSY, FAILED, REFUSED -> {}
            }
        } else if (event instanceof InboxEvent.AttemptFailed) {
            failed.incrementAndGet();
        }
    }

    void handled() {
        handled.incrementAndGet();
    }

    void failed() {
        failed.incrementAndGet();
    }
}
