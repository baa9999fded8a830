// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.InboxException;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One consumer process: reads the topic in both modes until it is killed or nobody is there who started it. It says {@code
 * ready} once, {@code works} with its first effect, {@code fenced} whenever it was refused, and every second how many deliveries
 * were answered as duplicates.
 */
final class SoakConsumer {

    static final String DIRECT = "direct";
    static final String STORED = "stored";
    static final String FINE = "Fine";
    static final String FAILS_ONCE = "FailsOnce";
    static final Duration LEASE = Duration.ofSeconds(2);
    static final Duration SESSION = Duration.ofSeconds(6);

    private static final Duration HEARTBEAT = Duration.ofMillis(500);
    private static final int ATTEMPTS = 10;
    private static final int CONNECTIONS = 16;
    private static final int LANES = 3;
    private static final int BATCH = 50;
    private static final long HANDLING_NANOS = 8_000_000;
    private static final long AGAIN_NANOS = 200_000_000;
    private static final long TELL_NANOS = 1_000_000_000;
    private static final long PROCESS = ProcessHandle.current().pid();

    /** That connections are lost and messages fail is what this is about; everything else that is an error is shown. */
    private static final List<String> JVM = List.of(
            "-Xmx160m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-Xshare:auto",
            "-Dorg.slf4j.simpleLogger.log.org.apache.kafka=off",
            "-Dorg.slf4j.simpleLogger.log.com.zaxxer.hikari=off");

    private static final AtomicBoolean WORKS = new AtomicBoolean();
    private static final AtomicLong DUPLICATES = new AtomicLong();

    private SoakConsumer() {}

    static Fleet fleet(World world, Options options) {
        return new Fleet(
                options.processes(),
                slot -> ForkedJvm.startWith(
                        JVM,
                        SoakConsumer.class,
                        new Place(world.jdbcUrl(), world.bootstrap(), World.TOPIC, slot, options.unfenced()).args()));
    }

    /**
     * What the process was told.
     *
     * @param slot the processes that follow each other in one place have the same
     */
    record Place(String jdbcUrl, String bootstrap, String topic, int slot, boolean unfenced) {

        static Place of(String[] args) {
            return new Place(args[0], args[1], args[2], Integer.parseInt(args[3]), args[4].equals("unfenced"));
        }

        String[] args() {
            return new String[] {jdbcUrl, bootstrap, topic, String.valueOf(slot), unfenced ? "unfenced" : "sound"};
        }

        /**
         * All ways to be in a group: new members by the new protocol in direct mode; in stored mode by the old one, and there
         * every other process is known by its place.
         */
        KafkaSource source(Mode mode) {
            Map<String, Object> config = new HashMap<>();
            config.put("bootstrap.servers", bootstrap);
            config.put("reconnect.backoff.max.ms", "500");
            if (mode == Mode.DIRECT) {
                config.put("group.protocol", "consumer");
            } else {
                config.put("session.timeout.ms", String.valueOf(SESSION.toMillis()));
                config.put("heartbeat.interval.ms", String.valueOf(HEARTBEAT.toMillis()));
                if (slot % 2 == 0) {
                    config.put("group.instance.id", "place-" + slot);
                }
            }
            return KafkaSource.topics(config, topic)
                    .firstStart(FirstStart.EARLIEST)
                    .lanes(LANES)
                    .batch(BATCH);
        }
    }

    /** The broker's part of the sessions of the new protocol. */
    static Map<String, String> brokerSettings() {
        return Map.of(
                "group.consumer.session.timeout.ms", String.valueOf(SESSION.toMillis()),
                "group.consumer.heartbeat.interval.ms", String.valueOf(HEARTBEAT.toMillis()));
    }

    static ConsumerPolicy policy(Mode mode) {
        return ConsumerPolicy.defaults()
                .mode(mode)
                .ordering(Ordering.HOLD)
                .retry(RetryPolicy.exponential(ATTEMPTS, Duration.ofMillis(50), Duration.ofMillis(500)))
                .work(WorkPolicy.defaults().workers(3).batch(5).lease(LEASE).poll(Duration.ofMillis(200)));
    }

    public static void main(String[] args) {
        ForkedJvm.endWithParent();
        Place sequenceNumber = Place.of(args);
        HikariDataSource pool = Pool.lazy(sequenceNumber.jdbcUrl(), CONNECTIONS);
        while (!begin(sequenceNumber, pool)) {
            LockSupport.parkNanos(AGAIN_NANOS);
        }
        System.out.println("ready");
        tellDuplicates();
    }

    private static void tellDuplicates() {
        long told = 0;
        while (true) {
            LockSupport.parkNanos(TELL_NANOS);
            long now = DUPLICATES.get();
            if (now != told) {
                told = now;
                System.out.println("duplicates " + now);
            }
        }
    }

    /** False when the database is away: then everything is started again, as a restarted application would. */
    private static boolean begin(Place sequenceNumber, HikariDataSource pool) {
        Inbox inbox;
        try {
            inbox = Inbox.on(pool).listener(SoakConsumer::listen).start();
        } catch (InboxException away) {
            return false;
        }
        try {
            subscribe(inbox, DIRECT, Mode.DIRECT, sequenceNumber);
            if (sequenceNumber.unfenced()) {
                UnfencedConsumer.begin(pool, sequenceNumber);
            } else {
                subscribe(inbox, STORED, Mode.STORED, sequenceNumber);
            }
            return true;
        } catch (InboxException away) {
            inbox.close();
            return false;
        }
    }

    /** As an application does it. */
    private static void subscribe(Inbox inbox, String consumer, Mode mode, Place sequenceNumber) {
        inbox.subscribe(consumer)
                .policy(policy(mode))
                .from(sequenceNumber.source(mode))
                .on(FINE, Payload.class, (payload, context) -> handle(consumer, context))
                .on(FAILS_ONCE, Payload.class, (payload, context) -> handle(consumer, context))
                .start();
    }

    static void listen(InboxEvent event) {
        if (event instanceof InboxEvent.OwnershipLost) {
            System.out.println("fenced");
        } else if (event instanceof InboxEvent.Received received) {
            if (received.receipt().kind() == Receipt.Kind.DUPLICATE) {
                DUPLICATES.incrementAndGet();
            } else if (received.receipt().kind() == Receipt.Kind.COMPLETED && WORKS.compareAndSet(false, true)) {
                System.out.println("works");
            }
        }
    }

    /** The effect comes first: what fails after it has to take it back. It takes a while, so that there is something to hit. */
    static void handle(String consumer, HandlerContext context) throws SQLException {
        try (PreparedStatement insert = context.connection()
                .prepareStatement("insert into effect (consumer, message_key, place, id, process, attempt)"
                        + " values (?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, consumer);
            insert.setString(2, context.message().key().orElseThrow());
            insert.setInt(3, Integer.parseInt(context.message().payload().text()));
            insert.setString(4, context.id().id());
            insert.setLong(5, PROCESS);
            insert.setInt(6, context.attempt());
            insert.executeUpdate();
        }
        LockSupport.parkNanos(HANDLING_NANOS);
        if (context.attempt() == 1 && context.message().type().name().equals(FAILS_ONCE)) {
            throw new IllegalStateException("told to fail");
        }
    }
}
