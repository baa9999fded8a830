// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.programme.IdempotentProducer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages of tenants. Ids count from 1 for each tenant, and the payload is the id: two tenants differ in their source
 * only. A key belongs to one tenant and stays in one partition, also when partitions are added. Thread-safe.
 */
final class Load implements AutoCloseable {

    private static final int KEYS = 8;
    private static final long TICK_NANOS = 5_000_000;
    private static final Duration OUTAGE = Duration.ofMinutes(2);

    /** Copies come soon after the message, or any time later. */
    private static final int SOON = 100;

    private final KafkaProducer<byte[], byte[]> producer;
    private final Random random;
    private final int copiesInHundred;
    private final Map<Tenant, Integer> numbers = new HashMap<>();
    private final List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
    private @Nullable Exception failure;

    /**
     * A source of messages.
     *
     * @param partitions where its keys are
     */
    record Tenant(String source, List<Integer> partitions) {}

    Load(String bootstrap, int copiesInHundred, long seed) {
        this.copiesInHundred = copiesInHundred;
        this.random = new Random(seed);
        this.producer = IdempotentProducer.on(bootstrap, OUTAGE, Map.of("metadata.max.age.ms", "1000"));
    }

    /** Sends in the background, spread over the time; completed when Kafka has acknowledged everything. */
    CompletableFuture<Void> begin(List<Tenant> tenants, int messages, Duration time) {
        return CompletableFuture.runAsync(
                () -> {
                    long begin = System.nanoTime();
                    for (int next = 0; next < messages; ) {
                        double passed = (double) (System.nanoTime() - begin) / time.toNanos();
                        for (int due = (int) Math.min(messages, Math.ceil(messages * passed)); next < due; next++) {
                            sendOne(tenants);
                        }
                        LockSupport.parkNanos(TICK_NANOS);
                    }
                    flush();
                },
                task -> {
                    Thread thread = new Thread(task, "load");
                    thread.setDaemon(true);
                    thread.start();
                });
    }

    private synchronized void sendOne(List<Tenant> tenants) {
        Tenant tenant = tenants.get(random.nextInt(tenants.size()));
        int key = random.nextInt(KEYS);
        ProducerRecord<byte[], byte[]> record = record(
                tenant.source(),
                tenant.partitions().get(key % tenant.partitions().size()),
                "key-" + key,
                "m" + numbers.merge(tenant, 1, Integer::sum));
        sent.add(record);
        send(record);
        if (random.nextInt(100) < copiesInHundred) {
            int back = random.nextBoolean() ? Math.min(SOON, sent.size()) : sent.size();
            send(sent.get(sent.size() - 1 - random.nextInt(back)));
        }
    }

    private static ProducerRecord<byte[], byte[]> record(String source, int partition, String key, String id) {
        String payload = "{\"id\":\"" + id + "\"}";
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(Reader.ORDERS, partition, bytes(source + " " + key), bytes(payload));
        record.headers().add("ce_id", bytes(id));
        record.headers().add("ce_source", bytes(source));
        record.headers().add("ce_type", bytes("Order"));
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Sends a second copy of one in so many of all messages, and waits for Kafka. */
    void again(int oneIn) {
        synchronized (this) {
            for (ProducerRecord<byte[], byte[]> record : sent) {
                if (random.nextInt(oneIn) == 0) {
                    send(record);
                }
            }
        }
        flush();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the result
    private void send(ProducerRecord<byte[], byte[]> record) {
        // A copy: headers of a record that was sent are read-only.
        producer.send(
                new ProducerRecord<>(
                        record.topic(), record.partition(), null, record.key(), record.value(), record.headers()),
                (metadata, failed) -> {
                    if (failed != null) {
                        failed(failed);
                    }
                });
    }

    private synchronized void failed(Exception why) {
        failure = why;
    }

    /** Throws when a send failed: the check needs every record. */
    private void flush() {
        producer.flush();
        synchronized (this) {
            if (failure != null) {
                throw new IllegalStateException("The producer failed", failure);
            }
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
