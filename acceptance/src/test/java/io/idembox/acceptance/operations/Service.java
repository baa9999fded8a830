// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.operations;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * A process with two consumers: {@code notices} has effects and fails while the bank is closed, {@code balances} writes a table
 * that can be built anew. It works until it is killed or nobody is there who started it.
 */
final class Service {

    static final String NOTICES = "notices";
    static final String BALANCES = "balances";
    static final String RECEIPTS = "receipts";

    /** Every so many messages of a key a receipt is sent. */
    static final int RECEIPT_EVERY = 10;

    private static final int PROCESSES = 2;
    private static final WorkPolicy WORK = WorkPolicy.defaults()
            .workers(2)
            .batch(100)
            .lease(Duration.ofSeconds(3))
            .poll(Duration.ofMillis(200));

    /** One attempt: what fails waits for people. Replays are forbidden, as they are when nobody says anything. */
    static final ConsumerPolicy NOTICES_POLICY = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .recording(Recording.FULL)
            .retry(RetryPolicy.exponential(1, Duration.ofMillis(10), Duration.ofMillis(10)))
            .work(WORK);

    static final ConsumerPolicy BALANCES_POLICY = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .recording(Recording.FULL)
            .ordering(Ordering.HOLD)
            .replay(Replay.NO_EFFECTS)
            .work(WORK);

    private static final List<String> JVM =
            List.of("-XX:+UseSerialGC", "-Xshare:auto", "-Dorg.slf4j.simpleLogger.log.io.idembox.internal.engine=off");

    private Service() {}

    static Fleet fleet(String jdbcUrl) {
        return new Fleet(PROCESSES, sequenceNumber -> ForkedJvm.startWith(JVM, Service.class, jdbcUrl));
    }

    /** The builder of every process, and of the one that commands. */
    static Inbox.Builder inbox(DataSource pool) {
        return Inbox.on(pool).outbox(RECEIPTS).consumer(NOTICES, NOTICES_POLICY).consumer(BALANCES, BALANCES_POLICY);
    }

    public static void main(String[] args) throws InterruptedException {
        ForkedJvm.endWithParent();
        Inbox inbox = inbox(Pool.of(args[0], 10)).start();
        inbox.subscribe(NOTICES)
                .policy(NOTICES_POLICY)
                .on("Notice", Message.class, Service::notify)
                .start();
        inbox.subscribe(BALANCES)
                .policy(BALANCES_POLICY)
                .on("Booked", Message.class, Service::book)
                .start();
        System.out.println("ready");
        Thread.currentThread().join();
    }

    private static void notify(Message message, HandlerContext context) throws SQLException {
        try (PreparedStatement look = context.connection().prepareStatement("select open from bank");
                ResultSet bank = look.executeQuery()) {
            bank.next();
            if (!bank.getBoolean(1)) {
                throw new IllegalStateException("the bank is closed");
            }
        }
        context.later("insert into notice (id) values (?)", context.id().id());
    }

    /** The digest tells in which order they came: any other makes another. */
    private static void book(Message message, HandlerContext context) {
        String id = context.id().id();
        String key = message.key().orElseThrow();
        context.later(
                "insert into balance as b (id, booked, digest) values (?, 1, md5(?))"
                        + " on conflict (id) do update set booked = b.booked + 1, digest = md5(b.digest || excluded.digest)",
                key,
                id);
        if (Integer.parseInt(id.substring(id.indexOf('-') + 1)) % RECEIPT_EVERY == 0) {
            context.outbox().send(RECEIPTS, Message.of(context.effectKey("receipt"), "Receipt", "{}"));
        }
    }
}
