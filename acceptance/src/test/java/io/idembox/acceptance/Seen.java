// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What the inbox told so far; tests wait for it instead of sleeping. Thread-safe. */
final class Seen implements InboxListener {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<InboxEvent> events = new ArrayList<>();

    @Override
    public synchronized void on(InboxEvent event) {
        events.add(event);
        notifyAll();
    }

    synchronized long count(Predicate<InboxEvent> wanted) {
        return events.stream().filter(wanted).count();
    }

    /** All events of a kind, in the order they were told. */
    synchronized <T extends InboxEvent> List<T> all(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Waits until that many messages were answered like that. */
    void awaitAnswers(Receipt.Kind kind, int count) {
        await(
                event -> event instanceof InboxEvent.Received received
                        && received.receipt().kind() == kind,
                count,
                kind.name());
    }

    synchronized void await(Predicate<InboxEvent> wanted, int count, String what) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (count(wanted) < count) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError(
                        "Only " + count(wanted) + " of " + count + " " + what + " after " + PATIENCE + ": " + events);
            }
            try {
                wait(left);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new AssertionError(stopped);
            }
        }
    }
}
