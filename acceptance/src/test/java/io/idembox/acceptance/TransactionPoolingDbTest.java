// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Everything works behind a pooler that gives a client another session of the server for every transaction. */
class TransactionPoolingDbTest {

    private static final int MESSAGES = 200;

    private final Seen seen = new Seen();
    private TransactionPooler pooler;
    private TestDatabase database;

    @BeforeEach
    void open() {
        PostgresServer server = PostgresServer.shared();
        PostgresDatabase fresh = server.freshDatabase();
        pooler = new TransactionPooler(server.port(), fresh.name(), 3);
        // Prepared statements live in sessions, so a driver behind such a pooler must not keep any.
        database = TestDatabase.on(
                "jdbc:postgresql://127.0.0.1:" + pooler.port() + "/" + fresh.name() + "?prepareThreshold=0");
        database.run("create table effect (id varchar(100) not null, note varchar(100))");
    }

    @AfterEach
    void close() {
        database.close();
        pooler.close();
    }

    private Inbox node() {
        return Inbox.on(database.dataSource())
                .createSchema()
                .listener(seen)
                .consumer(
                        "stored",
                        ConsumerPolicy.defaults()
                                .mode(Mode.STORED)
                                .ordering(Ordering.HOLD)
                                .retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO))
                                .work(WorkPolicy.defaults().workers(2).poll(Duration.ofMillis(20))))
                .start();
    }

    private static List<Message> messages() {
        return IntStream.range(0, MESSAGES)
                .mapToObj(i ->
                        Message.of("m" + i, "OrderPlaced", "{}").from("/orders").keyed("k" + i % 20))
                .toList();
    }

    @Test
    void directModeOnTwoNodesAtOnce() throws Exception {
        try (Inbox one = node();
                Inbox two = node()) {
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<Future<?>> done = new ArrayList<>();
                for (Inbox node : List.of(one, two, one, two)) {
                    done.add(threads.submit(() -> deliver(node)));
                }
                for (Future<?> each : done) {
                    each.get(120, TimeUnit.SECONDS);
                }
            } finally {
                threads.shutdownNow();
            }
        }
        assertThat(database.list("select id from effect")).hasSize(MESSAGES).doesNotHaveDuplicates();
        assertThat(pooler.changes()).isGreaterThan(20);
    }

    private static void deliver(Inbox node) {
        List<Message> left = messages();
        while (!left.isEmpty()) {
            List<Receipt> receipts = node.handleAll("direct", left, DatabaseTest::effect);
            List<Message> again = new ArrayList<>();
            for (int i = 0; i < left.size(); i++) {
                if (!receipts.get(i).acknowledges()) {
                    again.add(left.get(i));
                }
            }
            left = again;
        }
    }

    @Test
    @Tag("slow")
    void storedModeWithOrderStepsRetriesAndCommands() {
        try (Inbox one = node();
                Inbox two = node()) {
            for (Inbox node : List.of(one, two)) {
                node.subscribe("stored")
                        .on("OrderPlaced", Payload.class, (payload, context) -> {
                            String id = context.id().id();
                            context.step("noted", step -> {
                                try (var insert = step.connection()
                                        .prepareStatement("insert into effect (id, note) values (?, 'step')")) {
                                    insert.setString(1, id);
                                    insert.executeUpdate();
                                }
                            });
                            if (context.attempt() == 1 && id.endsWith("7")) {
                                throw new IllegalStateException("not yet");
                            }
                            if (context.attempt() <= 3 && id.equals("m199")) {
                                throw new IllegalStateException("not before somebody looked");
                            }
                            DatabaseTest.effect(context);
                        })
                        .start();
            }
            assertThat(one.store("stored", messages())).allMatch(Receipt::acknowledges);
            seen.awaitAnswers(Receipt.Kind.COMPLETED, MESSAGES - 1);

            Filter failed = Filter.of("stored").status(Status.FAILED_TERMINAL);
            two.admin().redrive(two.admin().preview(failed, 10).refs(), new Operation("again", "anna", "looked at"));
            seen.awaitAnswers(Receipt.Kind.COMPLETED, MESSAGES);
        }
        assertThat(database.list("select id from effect where note is null"))
                .hasSize(MESSAGES)
                .doesNotHaveDuplicates();
        assertThat(database.list("select id from effect where note = 'step'"))
                .hasSize(MESSAGES)
                .doesNotHaveDuplicates();
        assertThat(pooler.changes()).isGreaterThan(20);
    }
}
