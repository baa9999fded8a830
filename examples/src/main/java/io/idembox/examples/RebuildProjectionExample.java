// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageHandler;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Replays;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Adds a column to a projection, filled for old messages too: the messages are replayed into the empty table while new
 * ones arrive, and each counts exactly once.
 */
public final class RebuildProjectionExample {

    private static final int BEFORE = 60;
    private static final int MEANWHILE = 40;
    private static final int ACCOUNTS = 5;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private static final ConsumerPolicy PROJECTION = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .ordering(Ordering.HOLD)
            .recording(Recording.FULL) // keeps the payload, which a replay needs
            .replay(Replay.NO_EFFECTS);

    private RebuildProjectionExample() {}

    /** The payload of a message. */
    public record Booked(String account, int cents) {}

    public static void main(String[] args) throws SQLException, InterruptedException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException, InterruptedException {
        Sql.execute(dataSource, "create table balance (account text primary key, cents int not null)");
        runOldApplication(dataSource);

        Sql.execute(dataSource, "alter table balance add column bookings int not null default 0");
        CountDownLatch handled = new CountDownLatch(BEFORE + MEANWHILE);
        List<String> told = new ArrayList<>();
        try (Inbox inbox = inbox(dataSource, handled)) {
            Subscription balances = inbox.subscribe("balances").on("Booked", Booked.class, withNewColumn());
            balances.start();

            Replays replays = inbox.admin().replays();
            ReplayPlan plan = replays.plan(
                    ReplayRange.of("balances"),
                    CampaignOptions.defaults().canary(10),
                    Operation.of("anna", "a column was added"));
            told.add("would run: " + plan.wouldRun() + ", effects are left out: " + plan.suppressesEffects());
            replays.start(plan.id(), Operation.of("anna", "as planned"), connection -> {
                try (Statement truncate = connection.createStatement()) {
                    truncate.execute("truncate table balance");
                }
            });

            // New messages of an account wait behind its replayed ones.
            balances.handleAll(messages(BEFORE, BEFORE + MEANWHILE));
            handled.await(60, TimeUnit.SECONDS);
            told.add("replayed: " + runToEnd(inbox.admin().campaigns(), plan.id()));
        }
        List<String> rebuilt = Sql.rows(dataSource, "select account, cents, bookings from balance order by account");
        told.addAll(rebuilt);
        told.add("both agree: " + rebuilt.equals(expected()));
        return told;
    }

    /** The application before the change: it does not know the new column. */
    private static void runOldApplication(DataSource dataSource) throws InterruptedException {
        CountDownLatch handled = new CountDownLatch(BEFORE);
        try (Inbox inbox = inbox(dataSource, handled)) {
            Subscription balances = inbox.subscribe("balances")
                    .on(
                            "Booked",
                            Booked.class,
                            (booked, ctx) -> ctx.later(
                                    "insert into balance (account, cents) values (?, ?)"
                                            + " on conflict (account) do update set cents = balance.cents + excluded.cents",
                                    booked.account(),
                                    booked.cents()));
            balances.start();
            balances.handleAll(messages(0, BEFORE));
            handled.await(60, TimeUnit.SECONDS);
        }
    }

    private static MessageHandler<Booked> withNewColumn() {
        return (booked, ctx) -> ctx.later(
                "insert into balance (account, cents, bookings) values (?, ?, 1) on conflict (account) do update"
                        + " set cents = balance.cents + excluded.cents, bookings = balance.bookings + 1",
                booked.account(),
                booked.cents());
    }

    private static Inbox inbox(DataSource dataSource, CountDownLatch handled) {
        return Inbox.on(dataSource)
                .createSchema()
                .consumer("balances", PROJECTION)
                .listener(event -> countCompleted(event, handled))
                .start();
    }

    /** The campaign advances by itself; calling advance speeds it up. */
    private static String runToEnd(Campaigns campaigns, String id) {
        Campaign campaign = campaigns.advance(id);
        while (!campaign.isOver()) {
            LockSupport.parkNanos(POLL_INTERVAL.toNanos());
            campaign = campaigns.advance(id);
        }
        return campaign.progress().done() + " of " + campaign.progress().total() + ", " + campaign.state();
    }

    private static List<Message> messages(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(n -> Message.of(
                                "booking-" + n,
                                "Booked",
                                "{\"account\":\"" + account(n) + "\",\"cents\":" + cents(n) + "}")
                        .from("/bank")
                        .keyed(account(n)))
                .toList();
    }

    private static String account(int n) {
        return "account-" + n % ACCOUNTS;
    }

    private static int cents(int n) {
        return n * 7 % 100;
    }

    /** The expected table, in which each booking counts once. */
    private static List<String> expected() {
        Map<String, int[]> sums = new TreeMap<>();
        for (int n = 0; n < BEFORE + MEANWHILE; n++) {
            int[] sum = sums.computeIfAbsent(account(n), first -> new int[2]);
            sum[0] += cents(n);
            sum[1]++;
        }
        return sums.entrySet().stream()
                .map(each -> each.getKey() + "  " + each.getValue()[0] + "  " + each.getValue()[1])
                .toList();
    }

    private static void countCompleted(InboxEvent event, CountDownLatch handled) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            handled.countDown();
        }
    }
}
