// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One producer for all threads, at most one at a time: made when it is needed, replaced when it is of no use. Thread-safe. */
final class SharedProducer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SharedProducer.class);

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

    private final Supplier<Producer<byte[], byte[]>> factory;
    private @Nullable Producer<byte[], byte[]> current;
    private @Nullable String lastTrouble;
    private boolean closed;

    SharedProducer(Supplier<Producer<byte[], byte[]>> factory) {
        this.factory = factory;
    }

    /**
     * The one that there is, or a new one.
     *
     * @throws org.apache.kafka.common.KafkaException when it cannot be made, as when a name cannot be resolved
     */
    synchronized Producer<byte[], byte[]> get() {
        if (closed) {
            throw new IllegalStateException("The Kafka publisher is closed; nothing was published.");
        }
        Producer<byte[], byte[]> producer = current;
        if (producer == null) {
            producer = factory.get();
            current = producer;
        }
        return producer;
    }

    /** It brought everything. */
    synchronized void works(Producer<byte[], byte[]> producer) {
        if (producer == current) {
            lastTrouble = null;
        }
    }

    /** Whoever asks next gets another one. What others have in flight fails with it, and is published again. */
    void replace(Producer<byte[], byte[]> useless, Throwable trouble) {
        synchronized (this) {
            if (current != useless) {
                return;
            }
            current = null;
            say(String.valueOf(trouble.getMessage()), trouble);
        }
        closed(useless, Duration.ZERO);
    }

    /** The same trouble is said once. */
    private void say(String what, Throwable trouble) {
        if (!what.equals(lastTrouble)) {
            lastTrouble = what;
            log.warn(
                    "Kafka's producer is of no use any more ({}) and is replaced. Nothing is lost; it is published again."
                            + " If Kafka refuses it, mend the credentials or the rights.",
                    what,
                    trouble);
        }
    }

    @Override
    public void close() {
        Producer<byte[], byte[]> last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            // Crash here: what is in flight may be at Kafka or not. It was not called confirmed, and is published
            // again.
            closed(last, CLOSE_PATIENCE);
        }
    }

    private static void closed(Producer<byte[], byte[]> producer, Duration patience) {
        try {
            producer.close(patience);
        } catch (RuntimeException failed) {
            log.info("A Kafka producer did not end well: {}", failed.toString());
        }
    }
}
