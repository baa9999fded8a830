// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxListener;
import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Its own topic on a broker shared by all tests, an empty database, and a table whose rows are the effects. */
final class KafkaBench implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static @Nullable KafkaServer shared;

    final List<InboxEvent> events = new CopyOnWriteArrayList<>();
    final String topic;
    final KafkaServer server;
    final Admin admin;
    final DataSource dataSource;
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<Inbox> inboxes = new ArrayList<>();

    KafkaBench(int partitions) {
        this(shared(), PostgresServer.shared().freshDatabase().dataSource(), partitions);
    }

    /** With a broker that the test may stop. */
    KafkaBench(KafkaServer server, int partitions) {
        this(server, PostgresServer.shared(), partitions);
    }

    /** With servers that the test may stop. */
    KafkaBench(KafkaServer server, PostgresServer postgres, int partitions) {
        this(server, postgres.freshDatabase().dataSource(), partitions);
    }

    /** With a database that the test may stop. */
    KafkaBench(DataSource dataSource, int partitions) {
        this(shared(), dataSource, partitions);
    }

    private KafkaBench(KafkaServer server, DataSource dataSource, int partitions) {
        this.server = server;
        this.topic = "orders-" + NUMBER.incrementAndGet();
        this.admin = Admin.create(Map.of("bootstrap.servers", server.bootstrap()));
        this.dataSource = dataSource;
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        server.bootstrap(),
                        "acks",
                        "all",
                        "linger.ms",
                        "5",
                        "max.in.flight.requests.per.connection",
                        "1", // more may get stuck when the first is refused: KAFKA-14359
                        "max.request.size",
                        "8000000"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        createTopic(partitions, Map.of());
        run(
                "create table effect (number bigint generated always as identity, id varchar(100) not null, key varchar(100))");
    }

    /** Ends with the JVM. */
    static synchronized KafkaServer shared() {
        KafkaServer running = shared;
        if (running == null) {
            try {
                running = KafkaServer.start(Files.createTempDirectory("idembox-kafka"));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(running::close));
            shared = running;
        }
        return running;
    }

    void createTopic(int partitions, Map<String, String> configs) {
        createTopic(topic, partitions, configs);
    }

    /** Returns when every partition has a leader: until then a producer's first requests are refused. */
    void createTopic(String name, int partitions, Map<String, String> configs) {
        get(admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(configs)))
                .all());
        Map<TopicPartition, OffsetSpec> all = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            all.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
        await("leaders of " + name, () -> {
            try {
                admin.listOffsets(all).all().get();
                return true;
            } catch (ExecutionException notYet) {
                return false;
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        });
    }

    void deleteTopic() {
        get(admin.deleteTopics(List.of(topic)).all());
    }

    boolean hasTopic() {
        return get(admin.listTopics().names()).contains(topic);
    }

    /** The settings of a consumer on this broker, with short sessions. */
    Map<String, Object> config(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", server.bootstrap());
        config.put("session.timeout.ms", "6000");
        config.put("heartbeat.interval.ms", "500");
        config.putAll(more);
        return config;
    }

    Map<String, Object> config() {
        return config(Map.of());
    }

    /** Stands for a process: an inbox of its own. */
    Inbox inbox() {
        Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .lockTimeout(Duration.ofMillis(200))
                .listener(events::add)
                .start();
        inboxes.add(inbox);
        return inbox;
    }

    /** Stands for a process with its own settings. */
    Inbox configured(UnaryOperator<Inbox.Builder> settings) {
        Inbox inbox = settings.apply(Inbox.on(dataSource).createSchema().listener(events::add))
                .start();
        inboxes.add(inbox);
        return inbox;
    }

    Inbox inbox(InboxListener listener) {
        Inbox inbox = Inbox.on(dataSource).createSchema().listener(listener).start();
        inboxes.add(inbox);
        return inbox;
    }

    Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        return producer.send(record);
    }

    /** A record with CloudEvents headers. */
    ProducerRecord<byte[], byte[]> paid(String id, @Nullable String key) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, null, key == null ? null : bytes(key), bytes("{\"id\":\"" + id + "\"}"));
        record.headers().add("ce_id", bytes(id));
        record.headers().add("ce_source", bytes("/payments"));
        record.headers().add("ce_type", bytes("Paid"));
        return record;
    }

    /** Sends numbered records (p0, p1, …) spread over this many keys. */
    void sendPaid(int from, int to, int keys) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int n = from; n < to; n++) {
            sent.add(send(paid("p" + n, "k" + n % keys)));
        }
        sent.forEach(KafkaBench::get);
    }

    void sendNow(ProducerRecord<byte[], byte[]> record) {
        get(send(record));
    }

    /** In a transaction that is not committed. */
    void sendAborted(ProducerRecord<byte[], byte[]> record) {
        try (KafkaProducer<byte[], byte[]> transactional = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.bootstrap(), "transactional.id", topic),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            transactional.initTransactions();
            transactional.beginTransaction();
            get(transactional.send(record));
            transactional.abortTransaction();
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static void effect(HandlerContext context) throws SQLException {
        effect(context, context.id().id());
    }

    static void effect(HandlerContext context, String id) throws SQLException {
        try (PreparedStatement insert =
                context.connection().prepareStatement("insert into effect (id, key) values (?, ?)")) {
            insert.setString(1, id);
            insert.setString(2, context.message().key().orElse(null));
            insert.executeUpdate();
        }
    }

    void run(String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    List<String> list(String query) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    long count(String what) {
        return Long.parseLong(list("select count(*) from " + what).get(0));
    }

    void awaitEffects(int count) {
        await(count + " effects", () -> count("effect") >= count, () -> "there are " + count("effect"));
    }

    /** The offset that the group committed. */
    long committed(String group, int partition) {
        try {
            var offset = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(new TopicPartition(topic, partition));
            return offset == null ? -1 : offset.offset();
        } catch (InterruptedException | ExecutionException failed) {
            return -1;
        }
    }

    /** The sum of the offsets that the group committed in all partitions. */
    long committed(String group) {
        try {
            return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().entrySet().stream()
                    .filter(entry -> entry.getKey().topic().equals(topic) && entry.getValue() != null)
                    .mapToLong(entry -> entry.getValue().offset())
                    .sum();
        } catch (InterruptedException | ExecutionException failed) {
            return -1;
        }
    }

    void awaitCommitted(String group, long count) {
        await("commit of " + count, () -> committed(group) == count, () -> "the group has " + committed(group));
    }

    static void await(String what, BooleanSupplier condition) {
        await(what, condition, () -> "");
    }

    /** Polls until the condition is true or the time is up. */
    static void await(String what, BooleanSupplier condition, Supplier<String> found) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("No " + what + " within " + PATIENCE + "; " + found.get());
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException failed) {
            throw new AssertionError(failed);
        }
    }

    @Override
    public void close() {
        inboxes.forEach(Inbox::close);
        producer.close(Duration.ofSeconds(5));
        admin.close(Duration.ofSeconds(5));
    }
}
