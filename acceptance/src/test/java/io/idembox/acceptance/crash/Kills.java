// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Inbox;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Kills a real consumer process with {@code kill -9}, again and again, every time while it has a transaction open: it is
 * frozen first, the server is asked, and it is killed or thawed.
 */
final class Kills {

    private static final int MESSAGES = 20_000;
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(12);

    private final PostgresDatabase database;
    private final Path acknowledged;
    private final Random random = new Random(4);

    private Kills(PostgresDatabase database, Path acknowledged) {
        this.database = database;
        this.acknowledged = acknowledged;
    }

    /** The number of kills; what went wrong is added to the violations. */
    static int run(int wanted, Consumer<String> violations) throws IOException {
        Path acknowledged = Files.createTempFile("idembox-acknowledged", ".txt");
        try {
            Kills kills = new Kills(PostgresServer.shared().freshDatabase(), acknowledged);
            return kills.kill(wanted, violations);
        } finally {
            Files.deleteIfExists(acknowledged);
        }
    }

    private int kill(int wanted, Consumer<String> violations) throws IOException {
        Inbox.on(database.dataSource()).createSchema().start().close();
        ask("create table effect (id varchar(100), part varchar(10))");
        int kills = 0;
        long end = System.nanoTime() + LIMIT_NANOS;
        while (kills < wanted && System.nanoTime() < end) {
            try (ForkedJvm consumer = start(MESSAGES)) {
                if (killWhileOpen(consumer)) {
                    kills++;
                    checkAcknowledged(violations, "after kill " + kills);
                    System.out.printf(
                            "kill -9 number %d, %d acknowledged%n",
                            kills, acknowledged().size());
                } else if (!consumer.isAlive()) {
                    break;
                }
            }
        }
        if (kills < wanted) {
            violations.accept("only " + kills + " of " + wanted + " kills hit an open transaction");
        }
        int settled = Math.min(MESSAGES, acknowledged().size() + 500);
        for (int round = 0; round < 3; round++) {
            try (ForkedJvm last = start(settled)) {
                last.waitForExit();
            }
        }
        if (acknowledged().size() < settled) {
            violations.accept("stuck: " + acknowledged().size() + " of " + settled + " acknowledged in the end");
        }
        checkAcknowledged(violations, "in the end");
        Files.writeString(acknowledged, "");
        try (ForkedJvm late = start(settled)) {
            late.waitForExit();
        }
        checkAcknowledged(violations, "after late duplicates");
        return kills;
    }

    private ForkedJvm start(int count) {
        ForkedJvm consumer = ForkedJvm.start(
                KilledConsumer.class,
                database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + "ApplicationName=killed",
                acknowledged.toString(),
                String.valueOf(count));
        if (!"ready".equals(consumer.line())) {
            throw new IllegalStateException("The consumer did not start");
        }
        return consumer;
    }

    /** Freezes it at a random moment; killed if the server says that its transaction is open, thawed otherwise. */
    private boolean killWhileOpen(ForkedJvm consumer) {
        // Some are killed in their first batch, most after they have got somewhere.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(700)));
        for (int tries = 0; tries < 200 && consumer.isAlive(); tries++) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(20_000)));
            consumer.freeze();
            int open = Integer.parseInt(ask("select count(*) from pg_stat_activity where application_name = 'killed'"
                            + " and xact_start is not null and backend_xid is not null")
                    .iterator()
                    .next());
            if (open > 0) {
                consumer.kill();
                return true;
            }
            consumer.thaw();
        }
        return false;
    }

    private Set<String> acknowledged() throws IOException {
        return new HashSet<>(Files.readAllLines(acknowledged));
    }

    private void checkAcknowledged(Consumer<String> violations, String when) throws IOException {
        // The server may still be rolling back, or committing, what the killed process had sent.
        for (int i = 0; i < 2_000; i++) {
            if (ask("select 1 from pg_stat_activity where application_name = 'killed'")
                    .isEmpty()) {
                break;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        Set<String> whole = ask("select id from effect group by id having count(*) = 2 and count(distinct part) = 2");
        Set<String> lost = acknowledged();
        lost.removeAll(whole);
        if (!lost.isEmpty()) {
            violations.accept(when + ": acknowledged without an effect: " + lost);
        }
        Set<String> wrong = ask("select id from effect group by id having count(*) <> 2 or count(distinct part) <> 2");
        if (!wrong.isEmpty()) {
            violations.accept(when + ": doubled or torn: " + wrong);
        }
    }

    private Set<String> ask(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            Set<String> rows = new HashSet<>();
            if (statement.execute()) {
                try (ResultSet result = statement.getResultSet()) {
                    while (result.next()) {
                        rows.add(result.getString(1));
                    }
                }
            }
            return rows;
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }
}
