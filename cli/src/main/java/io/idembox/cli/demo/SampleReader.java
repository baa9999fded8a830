// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.Outbox;
import io.idembox.admin.Filter;
import io.idembox.admin.Status;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** Reads the state of the database, the broker and the processes. Not thread-safe. */
final class SampleReader {

    private static final int CAP = 10_000;

    private final EffectCheck ledger;
    private final Services services;
    private final Admin kafka;
    private final MessageProducer messageProducer;
    private final ConsumerFleet consumerFleet;
    private final FaultInjector faultInjector;
    private long begin = System.nanoTime();
    private final Map<Role, Long> lastOrders = new EnumMap<>(Role.class);
    private long lastNanos = begin;

    /** The parts of the demo whose state is read. */
    record Sources(MessageProducer messageProducer, ConsumerFleet consumerFleet, FaultInjector faultInjector) {}

    SampleReader(EffectCheck ledger, Services services, Admin kafka, Sources sources) {
        this.ledger = ledger;
        this.services = services;
        this.kafka = kafka;
        this.messageProducer = sources.messageProducer();
        this.consumerFleet = sources.consumerFleet();
        this.faultInjector = sources.faultInjector();
    }

    /** Starts the clock. */
    void begin() {
        begin = System.nanoTime();
        lastNanos = begin;
    }

    Sample read() throws SQLException, InterruptedException {
        // First the orders sent, then their effects: never more effects than orders.
        int sent = messageProducer.orders();
        int records = messageProducer.records();
        long now = System.nanoTime();
        // First the outbox, then the ends of the topics: a receipt published in between is in one of them.
        long waiting = count(Role.BILLING, Filter.of(Outbox.consumer(IdemboxConsumer.RECEIPTS)));
        Map<TopicPartition, Long> ends = ends();
        Map<Role, Sample.ConsumerState> consumerState = new EnumMap<>(Role.class);
        for (Role role : Role.values()) {
            consumerState.put(role, read(role, ends, now));
        }
        lastNanos = now;
        long published =
                of(Role.RECEIPTS, ends).values().stream().mapToLong(end -> end).sum();
        return new Sample(
                Duration.ofNanos(now - begin),
                sent,
                records,
                new Sample.Outbox(waiting, published),
                faultInjector.strikes(),
                consumerState);
    }

    private long count(Role role, Filter filter) {
        return services.admin(role).count(filter, CAP).number();
    }

    private Sample.ConsumerState read(Role role, Map<TopicPartition, Long> ends, long now)
            throws SQLException, InterruptedException {
        long orders = ledger.ordersWithEffect(role);
        long before = lastOrders.getOrDefault(role, 0L);
        lastOrders.put(role, orders);
        long perSecond = (orders - before) * 1_000_000_000L / Math.max(1, now - lastNanos);
        Counts counts = consumerFleet.counts(role);
        return new Sample.ConsumerState(
                orders,
                perSecond,
                counts.duplicates(),
                counts.failed(),
                counts.fenced(),
                parked(role),
                lag(role, ends));
    }

    private long parked(Role role) {
        if (!role.isIdembox()) {
            return 0;
        }
        return count(role, Filter.of(role.consumer()).status(Status.FAILED_TERMINAL, Status.PARKED));
    }

    private Map<TopicPartition, Long> ends() throws InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (Role role : Role.values()) {
            for (int partition = 0; partition < Servers.PARTITIONS; partition++) {
                latest.put(new TopicPartition(role.topic(), partition), OffsetSpec.latest());
            }
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        get(kafka.listOffsets(latest).all(), Map.of()).forEach((name, info) -> ends.put(name, info.offset()));
        return ends;
    }

    /** The partitions of the topic that a consumer reads. */
    private static Map<TopicPartition, Long> of(Role role, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> own = new HashMap<>(ends);
        own.keySet().removeIf(partition -> !partition.topic().equals(role.topic()));
        return own;
    }

    private long lag(Role role, Map<TopicPartition, Long> ends) throws InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed =
                get(kafka.listConsumerGroupOffsets(role.consumer()).partitionsToOffsetAndMetadata(), Map.of());
        long lag = ends.isEmpty() ? Long.MAX_VALUE : 0;
        for (Map.Entry<TopicPartition, Long> end : of(role, ends).entrySet()) {
            OffsetAndMetadata told = committed.get(end.getKey());
            // Offsets of records that came after the ends were read may be committed already.
            lag += Math.max(0, end.getValue() - (told == null ? 0 : told.offset()));
        }
        return lag;
    }

    /** Falls back when no process has joined the group yet or the broker is busy; the next sample retries. */
    private static <T> T get(KafkaFuture<T> future, T otherwise) throws InterruptedException {
        try {
            return future.get(5, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException later) {
            return otherwise;
        }
    }
}
