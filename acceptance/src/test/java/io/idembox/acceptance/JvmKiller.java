// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A consumer process with one message that ends it, as a native library or a lack of memory would. */
final class JvmKiller {

    static final int MESSAGES = 100;

    /** The message whose handler does not return, nor does anybody else. */
    static final String KILLER = "m50";

    /** How a process ends that handled it. */
    static final int EXIT_CODE = 17;

    /** How messages get to the handler, and who sees to it that one comes again whose process ended. */
    enum Way {
        /** They are stored before; processes only work. */
        STORED(ConsumerPolicy.defaults().mode(Mode.STORED)) {
            @Override
            void before(Inbox inbox) {
                inbox.store(CONSUMER, messages());
            }

            @Override
            void work(TestDatabase database, Subscription subscription) {
                subscription.start();
            }
        },

        /** A broker brings them, in a partition that one process reads at a time; the inbox tries again. */
        DIRECT_INBOX(ConsumerPolicy.defaults().retry(RetryPolicy.defaults().by(RetryBy.INBOX)), 1) {
            @Override
            void work(TestDatabase database, Subscription subscription) {
                read(database, subscription);
            }
        },

        /** The same; only the broker brings them again. */
        DIRECT_REDELIVERY(ConsumerPolicy.defaults().retry(RetryPolicy.defaults().by(RetryBy.REDELIVERY)), 1) {
            @Override
            void work(TestDatabase database, Subscription subscription) {
                read(database, subscription);
            }
        };

        private final ConsumerPolicy policy;
        private final int uncounted;

        Way(ConsumerPolicy policy) {
            this(policy, 0);
        }

        Way(ConsumerPolicy policy, int uncounted) {
            this.uncounted = uncounted;
            this.policy = policy.work(WorkPolicy.defaults()
                    .workers(2)
                    .batch(20)
                    .lease(Duration.ofSeconds(2))
                    .poll(Duration.ofMillis(50)));
        }

        ConsumerPolicy policy() {
            return policy;
        }

        /** How many processes end before anybody can count: direct mode writes nothing before a handler runs. */
        int uncounted() {
            return uncounted;
        }

        /** What somebody else does before there are processes. */
        void before(Inbox inbox) {
            // The broker has them.
        }

        /** What each process does; it may take until the process ends. */
        abstract void work(TestDatabase database, Subscription subscription);

        /** Reads the partition from its beginning, once it is nobody else's, until everything is acknowledged. */
        private static void read(TestDatabase database, Subscription subscription) {
            subscription.start();
            database.run("select pg_advisory_lock(42)");
            List<Message> left = new ArrayList<>(messages());
            while (!left.isEmpty()) {
                List<Message> batch = left.subList(0, Math.min(20, left.size()));
                List<Receipt> receipts = subscription.handleAll(List.copyOf(batch));
                List<Message> again = new ArrayList<>();
                for (int i = 0; i < receipts.size(); i++) {
                    if (!receipts.get(i).acknowledges()) {
                        again.add(batch.get(i));
                    }
                }
                batch.clear();
                if (left.isEmpty()) {
                    // What has to come again comes a little later.
                    LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                }
                left.addAll(again);
            }
        }
    }

    static final String CONSUMER = "billing";

    private JvmKiller() {}

    static List<Message> messages() {
        return IntStream.range(0, MESSAGES)
                .mapToObj(i -> DatabaseTest.message("m" + i).at(new Position("orders", 0, i)))
                .toList();
    }

    /** The database, then the way. */
    public static void main(String[] args) throws InterruptedException {
        ForkedJvm.endWithParent();
        Way way = Way.valueOf(args[1]);
        TestDatabase database = TestDatabase.on(args[0]);
        Inbox inbox = Inbox.on(database.dataSource()).start();
        way.work(
                database,
                inbox.subscribe(CONSUMER)
                        .policy(way.policy())
                        .on("OrderPlaced", Payload.class, (payload, context) -> handle(context)));
        Thread.currentThread().join();
    }

    private static void handle(HandlerContext context) throws SQLException {
        try (PreparedStatement insert = context.connection().prepareStatement("insert into effect (id) values (?)")) {
            insert.setString(1, context.id().id());
            insert.executeUpdate();
        }
        if (context.id().id().equals(KILLER)) {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
