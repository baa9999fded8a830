// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
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
            void work(Subscription subscription) {
                subscription.start();
            }
        };

        private final ConsumerPolicy policy;

        Way(ConsumerPolicy policy) {
            this.policy = policy.work(WorkPolicy.defaults()
                    .workers(2)
                    .batch(20)
                    .lease(Duration.ofSeconds(2))
                    .poll(Duration.ofMillis(50)));
        }

        ConsumerPolicy policy() {
            return policy;
        }

        /** What somebody else does before there are processes. */
        abstract void before(Inbox inbox);

        /** What each process does; it may take until the process ends. */
        abstract void work(Subscription subscription);
    }

    static final String CONSUMER = "billing";

    private JvmKiller() {}

    static List<Message> messages() {
        return IntStream.range(0, MESSAGES)
                .mapToObj(i -> DatabaseTest.message("m" + i))
                .toList();
    }

    /** The database, then the way. */
    public static void main(String[] args) throws InterruptedException {
        ForkedJvm.endWithParent();
        Way way = Way.valueOf(args[1]);
        Inbox inbox = Inbox.on(TestDatabase.on(args[0]).dataSource()).start();
        way.work(inbox.subscribe(CONSUMER)
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
