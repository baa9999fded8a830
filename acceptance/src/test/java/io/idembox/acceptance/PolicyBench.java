// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Outbox;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.Policies;
import io.idembox.policy.yaml.PolicyFile;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** An empty database, a clock that stands still, and the policies of a file. */
final class PolicyBench implements AutoCloseable {

    static final String CONSUMER = "billing";
    static final String INTENT = "charge";
    static final String DESTINATION = "orders";

    /** What the environment has, by variable. */
    static final Map<String, String> SECRETS = Map.of("ONE", "1".repeat(32), "OTHER", "2".repeat(32));

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final TestDatabase database = TestDatabase.Kind.H2.open();
    final ManualClock clock = ManualClock.create();
    final Seen seen = new Seen();
    final Policies policies;

    PolicyBench(String yaml) {
        policies = PolicyFile.read("keys.yaml", yaml, name -> Optional.ofNullable(SECRETS.get(name)));
        Inbox.on(database.dataSource()).createSchema().start().close();
    }

    /** A node of the consumer without threads. */
    Bench node(InboxHandler handler) {
        return new Bench(database, "node", clock, seen, policies.consumers().get(CONSUMER), handler);
    }

    /** A node as applications have it. */
    Inbox open() {
        return open(database.dataSource());
    }

    Inbox open(DataSource dataSource) {
        return Inbox.on(dataSource)
                .policies(policies)
                .clock(clock)
                .listener(seen)
                .start();
    }

    /** Sends in one transaction. */
    void send(Inbox inbox, Message... messages) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            inbox.outbox().send(connection, DESTINATION, Arrays.asList(messages));
            connection.commit();
        }
    }

    static String kinds(List<Receipt> receipts) {
        return receipts.stream().map(receipt -> receipt.kind().name()).collect(Collectors.joining(" "));
    }

    /** What is not done, in the order of ids: state and reason, and when it is due. */
    String unfinished(String consumer) {
        return words(
                "nothing open",
                database.list("select status || coalesce(' ' || reason, '')"
                        + " || coalesce(' in ' || datediff(second, timestamp with time zone '" + clock.instant()
                        + "', due_at) || 's', '') from idembox_inbox where status <> 'COMPLETED' and consumer = '"
                        + consumer + "' order by message_id"));
    }

    /** The ids of what is done. */
    String done(String consumer) {
        return words(
                "nothing done",
                database.list("select message_id from idembox_inbox where status = 'COMPLETED' and consumer = '"
                        + consumer + "' order by message_id"));
    }

    private static String words(String none, List<String> words) {
        return words.isEmpty() ? none : String.join(", ", words);
    }

    /** How many messages of a consumer are known, done or not. */
    String known(String consumer) {
        return database.one("select count(*) from idembox_inbox where consumer = '" + consumer + "'");
    }

    /** Something of the leases that a consumer has now. */
    List<String> leases(String consumer, String what) {
        return database.list("select " + what + " from idembox_lease l join idembox_consumer c"
                + " on c.consumer_id = l.consumer_id where c.name = '" + consumer + "'");
    }

    void awaitFailures(String consumer, int count) {
        awaitAnswers(consumer, count, "failures", receipt -> receipt.failure().isPresent());
    }

    void awaitCompleted(String consumer, int count) {
        awaitAnswers(consumer, count, "completed", receipt -> receipt.kind() == Receipt.Kind.COMPLETED);
    }

    private void awaitAnswers(String consumer, int count, String what, Predicate<Receipt> wanted) {
        seen.await(
                event -> event instanceof InboxEvent.Received received
                        && received.consumer().equals(consumer)
                        && wanted.test(received.receipt()),
                count,
                what + " of " + consumer);
    }

    /** For what nobody tells. */
    static void awaitThat(BooleanSupplier holds) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("Not within " + PATIENCE);
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    static String outbox(String destination) {
        return Outbox.consumer(destination);
    }

    @Override
    public void close() {
        database.close();
    }
}
