// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.spi.PublishResult;
import io.idembox.spi.Publisher;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Another target that remembers when it confirmed each message. */
final class TimedTarget implements Target, Post {

    private final Target target;
    private final Map<String, Long> confirmed = new ConcurrentHashMap<>();

    TimedTarget(Target target) {
        this.target = target;
    }

    /** By the clock of {@link System#nanoTime}. */
    long confirmedAt(String id) {
        return confirmed.getOrDefault(id, 0L);
    }

    @Override
    public String name() {
        return target.name();
    }

    @Override
    public void begin() {
        confirmed.clear();
        target.begin();
    }

    @Override
    public Publisher publisher() {
        Publisher publisher = target.publisher();
        return (destination, messages) -> {
            List<PublishResult> answers = publisher.publish(destination, messages);
            long now = System.nanoTime();
            messages.forEach(message -> confirmed.put(message.id().orElseThrow(), now));
            return answers;
        };
    }

    @Override
    public Post post() {
        return this;
    }

    @Override
    public void bring(String id, String key, String payload) {
        target.post().bring(id, key, payload);
        confirmed.put(id, System.nanoTime());
    }

    @Override
    public List<Arrival> arrivals() {
        return target.arrivals();
    }

    @Override
    public void close() {
        target.close();
    }
}
