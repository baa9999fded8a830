// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.Message;
import io.idembox.spi.Delivery;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One record in flight. A released delivery is repeated by this source, because Kafka does not redeliver single
 * records. Guarded by the lock of its key queue.
 */
final class KafkaDelivery implements Delivery {

    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    private final Message message;
    private final long offset;
    private boolean acknowledged;
    private long dueNanos;
    private int releases;

    KafkaDelivery(Message message, long offset, long nowNanos) {
        this.message = message;
        this.offset = offset;
        this.dueNanos = nowNanos;
    }

    @Override
    public Message message() {
        return message;
    }

    long offset() {
        return offset;
    }

    /** The key whose later records wait for this one; null when the record has no key. */
    @Nullable
    String key() {
        return message.key().orElse(null);
    }

    long bytes() {
        return message.payload().size() + message.headers().size();
    }

    @Override
    public void acknowledge() {
        // Crash here: the message is committed in the database, its offset not in Kafka. The next owner of the
        // partition receives the record again and answers DUPLICATE.
        acknowledged = true;
    }

    /** Makes the delivery due again after the given time, at least after a backoff that doubles with each release. */
    @Override
    public void release(Duration notBefore) {
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(releases, 7));
        releases++;
        dueNanos = System.nanoTime() + Math.max(notBefore.toNanos(), pause * 1_000_000);
    }

    boolean isAcknowledged() {
        return acknowledged;
    }

    boolean isDue(long nowNanos) {
        return dueNanos - nowNanos <= 0;
    }

    long dueNanos() {
        return dueNanos;
    }
}
