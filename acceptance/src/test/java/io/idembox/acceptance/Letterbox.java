// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Message;
import io.idembox.spi.PublishResult;
import io.idembox.spi.Publisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** A broker that keeps what is published to it, and says what a test wants it to say. Thread-safe. */
final class Letterbox implements Publisher {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<Message> published = new ArrayList<>();
    private Function<Message, PublishResult> answers = message -> new PublishResult.Confirmed(null);
    private boolean closed;

    /** What is said from now on. Only what is confirmed is kept. */
    synchronized void answer(Function<Message, PublishResult> newAnswers) {
        answers = newAnswers;
    }

    @Override
    public synchronized List<PublishResult> publish(String destination, List<Message> messages) {
        Set<String> keys = new HashSet<>();
        List<PublishResult> all = new ArrayList<>();
        for (Message message : messages) {
            if (!message.key().map(keys::add).orElse(true)) {
                throw new AssertionError("Two of one key at once: " + message);
            }
            PublishResult answer = answers.apply(message);
            if (answer instanceof PublishResult.Confirmed) {
                published.add(message);
            }
            all.add(answer);
        }
        notifyAll();
        return all;
    }

    synchronized List<Message> published() {
        return List.copyOf(published);
    }

    List<String> ids() {
        return published().stream().map(message -> message.id().orElseThrow()).toList();
    }

    List<Message> await(int count) {
        return await(all -> all.size() >= count);
    }

    synchronized List<Message> await(Predicate<List<Message>> wanted) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!wanted.test(published)) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError("Not published in time; so far " + published);
            }
            try {
                wait(left);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new AssertionError(stopped);
            }
        }
        return List.copyOf(published);
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
