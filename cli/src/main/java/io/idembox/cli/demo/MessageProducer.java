// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends the stream at its pace. Only orders that Kafka acknowledged count as sent. Thread-safe. */
final class MessageProducer implements AutoCloseable {

    static final String SOURCE = "/shop";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long TICK_NANOS = 5_000_000;

    /** The pause between records while the stream is ahead of the kills, so that there is always work. */
    private static final long SLOW_NANOS = 20_000_000;

    private final Plan plan;
    private final List<Order> deliveries;
    private final IntSupplier kills;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicIntegerArray copies;
    private final AtomicInteger orders = new AtomicInteger();
    private final AtomicInteger records = new AtomicInteger();
    private final Thread thread = new Thread(this::work, "feeds");
    private volatile boolean stopping;

    /** @param kills the number of Idembox consumers killed so far */
    MessageProducer(Plan plan, OrderStream stream, DemoAddresses addresses, IntSupplier kills) {
        this.plan = plan;
        this.deliveries = stream.deliveries();
        this.kills = kills;
        this.copies = new AtomicIntegerArray(stream.orders().size());
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", addresses.bootstrap(),
                        "acks", "all",
                        "linger.ms", "5",
                        "max.in.flight.requests.per.connection", "1"), // several may get stuck: KAFKA-14359
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    void start() {
        thread.start();
    }

    private void work() {
        long begin = System.nanoTime();
        long nanosEach = plan.streamTime().toNanos() / Math.max(1, deliveries.size());
        long end = begin + plan.streamLimit().toNanos();
        long last = begin;
        for (int i = 0; i < deliveries.size(); i++) {
            long due = begin + i * nanosEach;
            while (!stopping
                    && System.nanoTime() - end < 0
                    && (System.nanoTime() - due < 0 || (isAheadOfKills(i) && System.nanoTime() - last < SLOW_NANOS))) {
                LockSupport.parkNanos(TICK_NANOS);
            }
            last = System.nanoTime();
            if (stopping || System.nanoTime() - end >= 0) {
                break;
            }
            send(deliveries.get(i));
        }
        producer.flush();
    }

    /** Whether the stream must wait, so that the kills are spread over it. */
    private boolean isAheadOfKills(int delivery) {
        int awaited = plan.requiredKills();
        int done = kills.getAsInt();
        return done < awaited && delivery > (long) deliveries.size() * (done + 2) / (awaited + 2);
    }

    private void send(Order order) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(Role.ORDERS, bytes(order.account()), payload(order));
        record.headers().add("ce_id", bytes(order.id()));
        record.headers().add("ce_source", bytes(SOURCE));
        record.headers().add("ce_type", bytes("OrderPlaced"));
        var unused = producer.send(record, (confirmed, failed) -> {
            if (failed == null) {
                records.incrementAndGet();
                if (copies.incrementAndGet(order.nr()) == 1) {
                    orders.incrementAndGet();
                }
            } else {
                System.err.println("Kafka did not accept " + order.id() + ": " + failed);
            }
        });
    }

    private static byte[] payload(Order order) {
        try {
            return JSON.writeValueAsBytes(order);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    boolean isDone() {
        return !thread.isAlive();
    }

    /** The number of different orders in the topic. */
    int orders() {
        return orders.get();
    }

    /** The number of records in the topic. */
    int records() {
        return records.get();
    }

    /** How often an order is in the topic. */
    int copies(Order order) {
        return copies.get(order.nr());
    }

    @Override
    public void close() {
        stopping = true;
        producer.close(Duration.ofSeconds(5));
    }
}
