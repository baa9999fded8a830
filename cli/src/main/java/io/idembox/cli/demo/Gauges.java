// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
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

/** Looks at the database, the broker and the processes. Not thread-safe. */
final class Gauges {

    private static final int PARKED_CAP = 10_000;

    private final LedgerCheck ledger;
    private final InboxAdmin inbox;
    private final Admin kafka;
    private final String topic;
    private final int partitions;
    private final Feeder feeder;
    private final Fleet fleet;
    private final Killer killer;
    private long begin = System.nanoTime();
    private final Map<Role, Long> lastOrders = new EnumMap<>(Role.class);
    private long lastNanos = begin;

    /** Whom it looks at. */
    record Actors(Feeder feeder, Fleet fleet, Killer killer) {}

    Gauges(LedgerCheck ledger, InboxAdmin inbox, Admin kafka, String topic, int partitions, Actors actors) {
        this.ledger = ledger;
        this.inbox = inbox;
        this.kafka = kafka;
        this.topic = topic;
        this.partitions = partitions;
        this.feeder = actors.feeder();
        this.fleet = actors.fleet();
        this.killer = actors.killer();
    }

    /** Time counts from here. */
    void begin() {
        begin = System.nanoTime();
        lastNanos = begin;
    }

    Sample look() throws SQLException, InterruptedException {
        // First what was sent, then what became of it: never more effects than orders.
        int sent = feeder.orders();
        int records = feeder.records();
        long now = System.nanoTime();
        Map<TopicPartition, Long> ends = ends();
        Map<Role, Sample.Of> of = new EnumMap<>(Role.class);
        for (Role role : Role.values()) {
            of.put(role, look(role, ends, now));
        }
        lastNanos = now;
        return new Sample(
                Duration.ofNanos(now - begin),
                sent,
                records,
                killer.kills(),
                killer.freezes(),
                killer.naiveKills(),
                killer.naiveFreezes(),
                of);
    }

    private Sample.Of look(Role role, Map<TopicPartition, Long> ends, long now)
            throws SQLException, InterruptedException {
        long orders = ledger.ordersWithEffect(role);
        long before = lastOrders.getOrDefault(role, 0L);
        lastOrders.put(role, orders);
        long perSecond = (orders - before) * 1_000_000_000L / Math.max(1, now - lastNanos);
        Counts counts = fleet.counts(role);
        return new Sample.Of(
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
        return inbox.count(Filter.of(role.consumer()).status(Status.FAILED_TERMINAL, Status.PARKED), PARKED_CAP)
                .number();
    }

    private Map<TopicPartition, Long> ends() throws InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            latest.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        get(kafka.listOffsets(latest).all(), Map.of()).forEach((name, info) -> ends.put(name, info.offset()));
        return ends;
    }

    private long lag(Role role, Map<TopicPartition, Long> ends) throws InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed =
                get(kafka.listConsumerGroupOffsets(role.consumer()).partitionsToOffsetAndMetadata(), Map.of());
        long lag = ends.isEmpty() ? Long.MAX_VALUE : 0;
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            OffsetAndMetadata told = committed.get(end.getKey());
            lag += end.getValue() - (told == null ? 0 : told.offset());
        }
        return lag;
    }

    /** A group that nobody has joined yet, or a broker that is busy: the next look tells. */
    private static <T> T get(KafkaFuture<T> future, T otherwise) throws InterruptedException {
        try {
            return future.get(5, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException later) {
            return otherwise;
        }
    }
}
