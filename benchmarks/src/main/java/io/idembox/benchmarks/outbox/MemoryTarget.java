// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.Message;
import io.idembox.spi.PublishResult;
import io.idembox.spi.Publisher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Confirms at once, so that what is measured is everything else. */
final class MemoryTarget implements Target, Post {

    private static final PublishResult CONFIRMED = new PublishResult.Confirmed(null);

    private final List<Arrival> arrivals = new ArrayList<>();

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public synchronized void begin() {
        arrivals.clear();
    }

    @Override
    public Publisher publisher() {
        return (destination, messages) -> {
            take(messages);
            return Collections.nCopies(messages.size(), CONFIRMED);
        };
    }

    private synchronized void take(List<Message> messages) {
        messages.forEach(message -> arrivals.add(Arrival.of(message)));
    }

    @Override
    public Post post() {
        return this;
    }

    @Override
    public synchronized void bring(String id, String key, String payload) {
        arrivals.add(new Arrival(id, key, payload));
    }

    @Override
    public synchronized List<Arrival> arrivals() {
        return List.copyOf(arrivals);
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
