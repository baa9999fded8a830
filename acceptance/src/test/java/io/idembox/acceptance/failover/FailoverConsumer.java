// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.kafka.KafkaSource;
import io.idembox.kafka.OnDataLoss;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.spi.Source;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * One process with some consumers, as an application has them. It ends when it is killed or when the process that started it is
 * gone. Prints {@code ready} once, and {@code count …} for what {@link Fleet} counts: {@code stopped consumer partition}, {@code
 * unknown} (a commit whose outcome was not reported).
 */
final class FailoverConsumer {

    static final Duration SESSION = Duration.ofSeconds(6);

    private static final String ORDER = "Order";
    private static final String RECEIPT = "Receipt";
    private static final int ATTEMPTS = 10;
    private static final int CONNECTIONS = 16;
    private static final long HANDLING_NANOS = 1_000_000;
    private static final long AGAIN_NANOS = 200_000_000;
    private static final long PROCESS = ProcessHandle.current().pid();

    private FailoverConsumer() {}

    /**
     * What a process is started with.
     *
     * @param onDataLoss what the sources do when Kafka has lost records
     * @param broken the fix that is reverted
     */
    record Start(String jdbcUrl, String bootstrap, OnDataLoss onDataLoss, Reverted broken, List<Reader> readers) {

        private static final int FIXED = 4;

        static Start of(String[] args) {
            List<Reader> readers = new ArrayList<>();
            for (String argument : List.of(args).subList(FIXED, args.length)) {
                readers.add(Reader.of(argument));
            }
            return new Start(args[0], args[1], OnDataLoss.valueOf(args[2]), Reverted.valueOf(args[3]), readers);
        }

        Fleet fleet(int processes, Options options) {
            return new Fleet(
                    processes,
                    sequenceNumber -> ForkedJvm.startWith(jvm(options.log()), FailoverConsumer.class, args()));
        }

        /** Servers that are not available are expected here. */
        private static List<String> jvm(String log) {
            return List.of(
                    "-Xmx160m",
                    "-XX:+UseSerialGC",
                    "-XX:+ExitOnOutOfMemoryError",
                    "-Xshare:auto",
                    "-Dorg.slf4j.simpleLogger.log.io.idembox=" + log,
                    "-Dorg.slf4j.simpleLogger.log.org.apache.kafka=off",
                    "-Dorg.slf4j.simpleLogger.log.com.zaxxer.hikari=off");
        }

        private String[] args() {
            List<String> args = new ArrayList<>(List.of(jdbcUrl, bootstrap, onDataLoss.name(), broken.name()));
            readers.forEach(reader -> args.add(reader.argument()));
            return args.toArray(String[]::new);
        }

        private Map<String, Object> kafka() {
            Map<String, Object> config = new HashMap<>();
            config.put("bootstrap.servers", bootstrap);
            config.put("reconnect.backoff.max.ms", "500");
            config.put("metadata.max.age.ms", "1000");
            return config;
        }

        private Source source(Reader reader) {
            Map<String, Object> config = kafka();
            config.put("group.protocol", reader.protocol());
            if (reader.protocol().equals("classic")) {
                config.put("session.timeout.ms", String.valueOf(SESSION.toMillis()));
                config.put("heartbeat.interval.ms", "500");
            }
            Source source = KafkaSource.topics(config, reader.topic())
                    .firstStart(FirstStart.EARLIEST)
                    .onDataLoss(onDataLoss)
                    .lanes(3)
                    .batch(50);
            return broken.source(source, bootstrap);
        }
    }

    public static void main(String[] args) {
        ForkedJvm.endWithParent();
        Start start = Start.of(args);
        HikariDataSource pool = Pool.lazy(start.jdbcUrl(), CONNECTIONS);
        while (!begin(start, pool)) {
            LockSupport.parkNanos(AGAIN_NANOS);
        }
        System.out.println("ready");
        while (true) {
            LockSupport.park();
        }
    }

    /** False when a server is away: then everything is started again, as a restarted application would. */
    private static boolean begin(Start start, HikariDataSource pool) {
        Inbox inbox;
        try {
            inbox = Inbox.on(start.broken().dataSource(pool))
                    .createSchema()
                    .outbox(Reader.RECEIPTS)
                    .listener(FailoverConsumer::listen)
                    .start();
        } catch (InboxException away) {
            return false;
        }
        try {
            for (Reader reader : start.readers()) {
                if (reader.sendsReceipts()) {
                    inbox.outbox().relay(KafkaPublisher.on(start.kafka()), Reader.RECEIPTS);
                }
                inbox.subscribe(reader.name())
                        .policy(policy(reader))
                        .from(start.source(reader))
                        .on(ORDER, Message.class, (message, context) -> handle(reader, message, context))
                        .on(RECEIPT, Message.class, (message, context) -> handle(reader, message, context))
                        .start();
            }
            return true;
        } catch (InboxException away) {
            inbox.close();
            return false;
        }
    }

    private static ConsumerPolicy policy(Reader reader) {
        return ConsumerPolicy.defaults()
                .mode(reader.mode())
                .ordering(Ordering.HOLD)
                .retry(RetryPolicy.exponential(ATTEMPTS, Duration.ofMillis(50), Duration.ofMillis(500))
                        .by(RetryBy.INBOX))
                .work(WorkPolicy.defaults()
                        .workers(3)
                        .batch(10)
                        .lease(Duration.ofSeconds(2))
                        .poll(Duration.ofMillis(200)));
    }

    private static void listen(InboxEvent event) {
        if (event instanceof InboxEvent.PartitionStopped stopped) {
            System.out.println("count stopped " + stopped.consumer() + " " + stopped.partition());
        } else if (event instanceof InboxEvent.CommitUnknown) {
            System.out.println("count unknown");
        }
    }

    /** The receipt has the source and the id of its order: the topic of receipts is compared with that of orders. */
    private static void handle(Reader reader, Message message, HandlerContext context) throws SQLException {
        String key = message.key().orElseThrow();
        try (PreparedStatement insert = context.connection()
                .prepareStatement(
                        "insert into journal (consumer, source, id, message_key, process) values (?, ?, ?, ?, ?)")) {
            insert.setString(1, reader.name());
            insert.setString(2, context.id().source());
            insert.setString(3, context.id().id());
            insert.setString(4, key);
            insert.setLong(5, PROCESS);
            insert.executeUpdate();
        }
        LockSupport.parkNanos(HANDLING_NANOS);
        if (reader.sendsReceipts()) {
            context.outbox()
                    .send(
                            Reader.RECEIPTS,
                            Message.of(context.id().id(), RECEIPT, message.payload())
                                    .from(context.id().source())
                                    .keyed(key));
        }
    }
}
