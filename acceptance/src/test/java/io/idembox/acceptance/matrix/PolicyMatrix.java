// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.acceptance.programme.Pool;
import io.idembox.acceptance.programme.Wrongs;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Tries every combination of policies: it is refused with a reason, or one standard stream of messages drains under it, with the
 * guarantees checked and a bound on deliveries per message.
 */
final class PolicyMatrix {

    private static final int PROGRESS = 100;

    private final DataSource dataSource;
    private final Case.Variant variant;
    private final Wrongs wrongs = new Wrongs();
    private int combinations;
    private int refused;
    private int drained;
    private int violations;
    private int stuck;

    private PolicyMatrix(DataSource dataSource, Case.Variant variant) {
        this.dataSource = dataSource;
        this.variant = variant;
    }

    public static void main(String[] args) throws SQLException {
        if (List.of(args).contains("--table")) {
            System.out.print(Refusals.table());
            return;
        }
        Map<String, String> options = options(args);
        int every = Integer.parseInt(options.getOrDefault("--every", "1"));
        String broken = options.get("--broken");
        Case.Variant variant = broken == null ? Station::new : Reverted.named(broken);
        long start = System.nanoTime();
        boolean well;
        try (PostgresServer server = PostgresServer.builder()
                        .setting("fsync", "off")
                        .setting("synchronous_commit", "off")
                        .start();
                HikariDataSource pool = Pool.of(server.freshDatabase().jdbcUrl(), 4)) {
            PolicyMatrix matrix = new PolicyMatrix(pool, variant);
            matrix.prepare();
            matrix.run(every);
            well = matrix.tell(broken, (System.nanoTime() - start) / 1_000_000_000);
        }
        System.exit(well ? 0 : 1);
    }

    private static Map<String, String> options(String[] args) {
        return IntStream.range(0, args.length)
                .mapToObj(nth -> args[nth].split("=", 2))
                .collect(Collectors.toMap(each -> each[0], each -> each.length > 1 ? each[1] : ""));
    }

    /** The tables, created as an application creates them. */
    private void prepare() throws SQLException {
        Inbox.on(dataSource).createSchema().allowUnsafeDurability().start().close();
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "create table effect (number bigserial, consumer text not null, name text not null,"
                                + " message_key text, place bigint not null)")) {
            statement.execute();
        }
    }

    private void run(int every) throws SQLException {
        List<Combination> all = Combination.all();
        for (int nth = 0; nth < all.size(); nth += every) {
            combinations++;
            run(nth, all.get(nth));
            if (combinations % PROGRESS == 0) {
                System.err.println(
                        combinations + " of " + all.size() / every + " combinations, " + violations + " violations");
            }
        }
    }

    private void run(int nth, Combination combination) throws SQLException {
        if (Refusals.reasonOf(combination).isPresent()) {
            refused++;
            return;
        }
        Case one = new Case(dataSource, combination, "c" + nth, variant);
        List<String> found = one.run();
        if (found.isEmpty()) {
            drained++;
        }
        stuck += one.isStuck() ? 1 : 0;
        violations += found.isEmpty() ? 0 : 1;
        found.forEach(what -> wrongs.add(what.substring(0, what.indexOf(':')), what + " [" + combination + "]"));
    }

    /** Whether it went as it should: with a reverted fix something has to be found. */
    private boolean tell(String broken, long seconds) {
        wrongs.print();
        System.out.printf(
                "policy-matrix: combinations=%d refused=%d drained=%d violations=%d stuck=%d seconds=%d%n",
                combinations, refused, drained, violations, stuck, seconds);
        if (broken == null) {
            return violations == 0 && drained > 0 && combinations == refused + drained;
        }
        System.out.println(
                "reverted " + Objects.requireNonNull(broken) + ": " + (violations > 0 ? "found" : "NOT FOUND"));
        return violations > 0;
    }
}
