// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one producer that all threads share. Created on first use, replaced after a fatal error. Thread-safe. */
final class SharedProducer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SharedProducer.class);

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

    private final Supplier<Producer<byte[], byte[]>> factory;
    private @Nullable Producer<byte[], byte[]> current;
    private @Nullable String lastError;
    private boolean closed;

    SharedProducer(Supplier<Producer<byte[], byte[]>> factory) {
        this.factory = factory;
    }

    /**
     * Returns the current producer, or creates one.
     *
     * @throws org.apache.kafka.common.KafkaException when it cannot be created, for example when a host name is unknown
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

    /** Reports that the producer sent a whole call, so the next error is logged again. */
    synchronized void reportSuccess(Producer<byte[], byte[]> producer) {
        if (producer == current) {
            lastError = null;
        }
    }

    /**
     * Closes the producer; the next call gets a new one. Records of other threads in flight fail and are published
     * again.
     */
    void replace(Producer<byte[], byte[]> useless, Throwable trouble) {
        synchronized (this) {
            if (current != useless) {
                return;
            }
            current = null;
            logOnce(String.valueOf(trouble.getMessage()), trouble);
        }
        closed(useless, Duration.ZERO);
    }

    /** Logs the same error once. */
    private void logOnce(String what, Throwable trouble) {
        if (!what.equals(lastError)) {
            lastError = what;
            log.warn(
                    "Kafka producer failed permanently ({}) and is replaced; unconfirmed messages are published again."
                            + " If Kafka refused access, fix the credentials or ACLs.",
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
            // Crash here: records in flight may or may not be in the topic. They were not reported as confirmed and
            // are published again.
            closed(last, CLOSE_PATIENCE);
        }
    }

    private static void closed(Producer<byte[], byte[]> producer, Duration patience) {
        try {
            producer.close(patience);
        } catch (RuntimeException failed) {
            log.info("Kafka producer did not close cleanly: {}", failed.toString());
        }
    }
}
