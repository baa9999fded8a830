// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Receipt;
import io.idembox.idempotent.CompareAndSet;
import io.idembox.idempotent.UpsertByVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes that may come twice, late, and from two sides at once. */
class NaturalIdempotencyDbTest extends DatabaseTest {

    @BeforeEach
    void createTables() {
        database.run(
                "create table price (shop varchar(10) not null, sku varchar(10) not null, version bigint, cents int,"
                        + " label varchar(20) unique, primary key (shop, sku))",
                "create table seen_at (id varchar(10) primary key, at timestamp(6) with time zone, cents int)",
                "create table account (id varchar(10) primary key, version bigint, state varchar(10))");
    }

    private static UpsertByVersion price(long version, int cents) {
        return UpsertByVersion.into("price")
                .key("shop", "s")
                .key("sku", "bolt")
                .version("version", version)
                .set("cents", cents);
    }

    private boolean write(UpsertByVersion row) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return row.applyIn(connection);
        }
    }

    private boolean write(CompareAndSet row) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return row.applyIn(connection);
        }
    }

    @Test
    void theNewestVersionStaysInWhateverOrderTheyCome() throws SQLException {
        assertThat(write(price(2, 20))).isTrue();
        assertThat(write(price(1, 10))).as("late").isFalse();
        assertThat(write(price(2, 99))).as("again").isFalse();
        assertThat(database.one("select cents from price")).isEqualTo("20");
        assertThat(write(price(3, 30))).isTrue();
        assertThat(database.list("select version || ' ' || cents from price")).containsExactly("3 30");
    }

    @Test
    void aRowWithoutAVersionIsOlderThanAny() throws SQLException {
        database.run("insert into price (shop, sku, cents) values ('s', 'bolt', 1)");

        assertThat(write(price(0, 2))).isTrue();
        assertThat(database.one("select version || ' ' || cents from price")).isEqualTo("0 2");
    }

    @Test
    void aTimeIsAVersionToo() throws SQLException {
        Instant early = Instant.parse("2026-01-01T00:00:00.000001Z");
        Instant late = early.plusNanos(1_000);

        assertThat(write(seen(late, 2))).isTrue();
        assertThat(write(seen(early, 1))).isFalse();
        assertThat(write(seen(late, 3))).isFalse();
        assertThat(database.one("select cents from seen_at")).isEqualTo("2");
    }

    private static UpsertByVersion seen(Instant at, int cents) {
        return UpsertByVersion.into("seen_at").key("id", "x").version("at", at).set("cents", cents);
    }

    @Test
    void inAHandlerItIsPartOfTheMessage() {
        List<Integer> versions = List.of(5, 4, 5, 6);
        for (int i = 0; i < versions.size(); i++) {
            int version = versions.get(i);
            Receipt receipt = inbox.handle("pricing", message("m" + i), context -> {
                price(version, version).applyIn(context.connection());
                price(version, version).applyIn(context.connection());
                effect(context);
            });
            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        }
        inbox.handle("pricing", message("fails"), context -> {
            price(9, 9).applyIn(context.connection());
            throw new IllegalStateException("no");
        });

        assertThat(effects()).hasSize(4);
        assertThat(database.one("select version || ' ' || cents from price")).isEqualTo("6 6");
    }

    @Test
    void anotherUniqueColumnIsNotTakenForAnOldVersion() throws SQLException {
        write(price(1, 1).set("label", "taken"));

        assertThatThrownBy(() -> write(UpsertByVersion.into("price")
                        .key("shop", "s")
                        .key("sku", "nut")
                        .version("version", 1)
                        .set("label", "taken")))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void twoWritersAtOnceEndWithTheNewest() throws Exception {
        for (int round = 0; round < 20; round++) {
            database.run("delete from price");
            List<Integer> versions =
                    new ArrayList<>(IntStream.rangeClosed(1, 20).boxed().toList());
            Collections.shuffle(versions, new Random(round));

            int applied = together(turn -> {
                int count = 0;
                for (int i = turn; i < versions.size(); i += 2) {
                    try (Connection connection = database.dataSource().getConnection()) {
                        connection.setAutoCommit(false);
                        count += price(versions.get(i), versions.get(i) * 10).applyIn(connection) ? 1 : 0;
                        connection.commit();
                        connection.setAutoCommit(true);
                    }
                }
                return count;
            });

            assertThat(applied).isBetween(1, 20);
            assertThat(database.list("select version || ' ' || cents from price"))
                    .containsExactly("20 200");
        }
    }

    @Test
    void ofTwoWhoExpectTheSameOneChangesTheRow() throws Exception {
        database.run("insert into account values ('a', 0, 'NEW')");
        for (int round = 0; round < 20; round++) {
            int expected = round;

            int changed = together(turn -> write(account(expected)) ? 1 : 0);

            assertThat(changed).isEqualTo(1);
        }
        assertThat(database.one("select version from account")).isEqualTo("20");
    }

    private static CompareAndSet account(long expected) {
        return CompareAndSet.in("account")
                .key("id", "a")
                .expect("version", expected)
                .set("version", expected + 1);
    }

    @Test
    void compareAndSetChangesOnlyWhatIsAsExpected() throws SQLException {
        database.run("insert into account values ('a', 1, null)", "insert into account values ('b', 1, null)");
        CompareAndSet open = CompareAndSet.in("account")
                .key("id", "a")
                .expect("state", null)
                .expect("version", 1)
                .set("state", "OPEN");

        assertThat(write(open)).isTrue();
        assertThat(write(open)).isFalse();
        assertThat(write(CompareAndSet.in("account")
                        .key("id", "nobody")
                        .expect("version", 1)
                        .set("version", 2)))
                .isFalse();
        assertThat(write(CompareAndSet.in("account")
                        .key("id", "a")
                        .expect("state", "OPEN")
                        .set("state", null)))
                .isTrue();
        assertThat(database.list("select version || coalesce(state, '-') from account"))
                .containsOnly("1-");
        assertThatThrownBy(() -> write(CompareAndSet.in("account")
                        .key("version", 1)
                        .expect("state", null)
                        .set("state", "X")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("2 rows");
    }

    @Test
    void namesAreCheckedAndValuesAreBound() throws SQLException {
        String hostile = "x'); drop table price; --";
        for (String name : List.of("price; drop table price", "a b", "", "\"price\"", "a.b.c", "1a")) {
            assertThatThrownBy(() -> UpsertByVersion.into(name)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> UpsertByVersion.into("price").set(name, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> CompareAndSet.in("price").expect(name, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> price(1, 1).set("cents", 2)).hasMessageContaining("was added twice");
        assertThatThrownBy(() -> price(1, 1).version("other", 2)).hasMessageContaining("version is already set");
        assertThatThrownBy(() -> write(price(1, 1).set("sku", "nut"))).hasMessageContaining("both part of the key");
        assertThatThrownBy(() -> write(UpsertByVersion.into("price").version("version", 1)))
                .hasMessageContaining("No key was set");
        assertThatThrownBy(() -> write(UpsertByVersion.into("price").key("sku", "a")))
                .hasMessageContaining("No version was set");

        write(UpsertByVersion.into((isPostgres() ? "public" : "PUBLIC") + ".price")
                .key("shop", "s")
                .key("sku", "a")
                .version("version", 1)
                .set("label", hostile.substring(0, 20)));
        assertThat(database.one("select label from price")).isEqualTo(hostile.substring(0, 20));
    }

    private interface Turn {
        int take(int turn) throws Exception;
    }

    /** Two threads begin at the same moment; the sum of what they return. */
    private static int together(Turn turn) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            CyclicBarrier begin = new CyclicBarrier(2);
            List<Future<Integer>> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int mine = i;
                Callable<Integer> task = () -> {
                    begin.await(30, TimeUnit.SECONDS);
                    return turn.take(mine);
                };
                both.add(threads.submit(task));
            }
            return both.get(0).get(60, TimeUnit.SECONDS) + both.get(1).get(60, TimeUnit.SECONDS);
        } finally {
            threads.shutdownNow();
        }
    }
}
