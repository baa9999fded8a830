// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The product in one command: the quick start, then an order stream with duplicates, lost acknowledgements and poison
 * messages, handled by a naive consumer and by Idembox. Ends with exit code 0 only if nothing was lost or doubled.
 */
public final class Demo {

    private static final int ORDERS = 2_000;
    private static final int BATCH = 50;

    private final DataSource dataSource;
    private final Random random = new Random(1);

    private Demo(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public static void main(String[] args) throws SQLException {
        System.out.println("Starting an embedded PostgreSQL (fsync on, nothing to install) ...");
        boolean ok;
        try (PostgresServer server = PostgresServer.start()) {
            System.out.println("PostgreSQL " + server.version() + " is ready on port " + server.port());
            System.out.println();
            System.out.println("1. The quick start: one message, delivered twice");
            QuickStart.run(server.dataSource());
            System.out.println();
            ok = new Demo(server.createDatabase("orders").dataSource()).run();
        }
        if (!ok) {
            System.exit(1);
        }
    }

    static boolean run(DataSource dataSource) throws SQLException {
        return new Demo(dataSource).run();
    }

    private boolean run() throws SQLException {
        System.out.println(
                "2. " + ORDERS + " orders; 20 % of the deliveries are duplicates, 10 % of the acknowledges get lost,");
        System.out.println("   every 100th order fails at its first try, every 500th never works");
        Sql.execute(
                dataSource,
                "create table naive_charge (order_id int not null)",
                "create table charge (order_id int not null)");
        List<Integer> deliveries = deliveries();
        naive(deliveries);
        Map<Receipt.Kind, Integer> receipts = safe(deliveries);

        long doubledByNaive = doubled("naive_charge");
        long doubled = doubled("charge");
        long charged = Sql.number(dataSource, "select count(distinct order_id) from charge");
        long kept = Sql.number(dataSource, "select count(*) from idembox_inbox where status = 'FAILED_TERMINAL'");
        long lost = ORDERS - charged - kept;
        System.out.println();
        System.out.printf("   %-22s %10s %10s %10s%n", "", "charged", "doubled", "kept");
        System.out.printf(
                "   %-22s %10d %10d %10s%n",
                "a naive consumer",
                Sql.number(dataSource, "select count(distinct order_id) from naive_charge"),
                doubledByNaive,
                "-");
        System.out.printf("   %-22s %10d %10d %10d%n", "Idembox", charged, doubled, kept);
        System.out.println();
        System.out.println("   receipts: " + receipts);
        System.out.println("3. What is left is in a table, with its error:");
        Sql.rows(
                        dataSource,
                        "select message_id, status, attempts, error from idembox_inbox where status <> 'COMPLETED' order by 1")
                .forEach(row -> System.out.println("   " + row));
        System.out.println();
        System.out.println("sent=" + ORDERS + " lost=" + lost + " doubled=" + doubled + " kept=" + kept
                + " naive-doubled=" + doubledByNaive);
        System.out.println(
                "Next: ./mvnw verify runs the tests; examples/ has one small program per feature; README.md tells the"
                        + " guarantees.");
        return lost == 0 && doubled == 0;
    }

    /** Every order at least once, a fifth of them again, out of step. */
    private List<Integer> deliveries() {
        List<Integer> deliveries = new ArrayList<>();
        for (int order = 0; order < ORDERS; order++) {
            deliveries.add(order);
            if (random.nextInt(5) == 0) {
                deliveries.add(random.nextInt(order + 1));
            }
        }
        return deliveries;
    }

    /** Remembers ids in memory and writes each charge on its own: what most people write first. */
    private void naive(List<Integer> deliveries) throws SQLException {
        Set<Integer> seen = new HashSet<>();
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into naive_charge values (?)")) {
            for (int order : deliveries) {
                if (seen.contains(order)) {
                    continue;
                }
                insert.setInt(1, order);
                insert.executeUpdate();
                if (random.nextInt(10) == 0) {
                    // The process dies before it remembers, or before the broker hears of it: delivered again.
                    seen.clear();
                    insert.executeUpdate();
                }
                seen.add(order);
            }
        }
    }

    private Map<Receipt.Kind, Integer> safe(List<Integer> deliveries) {
        Map<Receipt.Kind, Integer> receipts = new EnumMap<>(Receipt.Kind.class);
        ConsumerPolicy policy =
                ConsumerPolicy.defaults().retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO));
        try (Inbox inbox =
                Inbox.on(dataSource).createSchema().consumer("billing", policy).start()) {
            List<Integer> queue = new ArrayList<>(deliveries);
            while (!queue.isEmpty()) {
                List<Integer> batch = new ArrayList<>(queue.subList(0, Math.min(BATCH, queue.size())));
                queue.subList(0, batch.size()).clear();
                List<Receipt> answers = inbox.handleAll(
                        "billing", batch.stream().map(Demo::order).toList(), ctx -> {
                            int order = Integer.parseInt(ctx.id().id());
                            ctx.later("insert into charge values (?)", order).expect(1);
                            if (order % 500 == 499 || (order % 100 == 99 && ctx.attempt() == 1)) {
                                throw new IllegalStateException("the bank said no");
                            }
                        });
                for (int i = 0; i < batch.size(); i++) {
                    receipts.merge(answers.get(i).kind(), 1, Integer::sum);
                    boolean acknowledgeIsLost = random.nextInt(10) == 0;
                    if (!answers.get(i).acknowledges() || acknowledgeIsLost) {
                        queue.add(batch.get(i));
                    }
                }
            }
        }
        return receipts;
    }

    private static Message order(int nr) {
        return Message.of(String.valueOf(nr), "OrderPlaced", "{\"order\":" + nr + "}")
                .from("/orders");
    }

    private long doubled(String table) throws SQLException {
        return Sql.number(
                dataSource,
                "select count(*) from (select order_id from " + table
                        + " group by order_id having count(*) > 1) doubled");
    }
}
