// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.id;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessagePage;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What people see: found, listed page by page, counted up to a cap. */
class AdminLookDbTest extends DatabaseTest {

    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(2, Duration.ofMinutes(1), Duration.ofMinutes(1))
                    .by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();
    private final Instant start = clock.instant();

    private final InboxHandler handler = context -> {
        switch (context.id().id().charAt(0)) {
            case 'p' -> throw HandlerException.park("look at it");
            case 'f' -> throw new IllegalArgumentException("wrong");
            default -> effect(context);
        }
    };

    private AdminBench bench() {
        return new AdminBench(database, clock, POLICY, handler);
    }

    private static List<String> ids(List<InboxMessage> messages) {
        return messages.stream().map(message -> message.id().id()).toList();
    }

    private static List<String> look(AdminBench bench, Filter filter) {
        return ids(bench.admin.list(filter, Page.first(100)).messages());
    }

    private static Filter all() {
        return Filter.of("billing");
    }

    @Test
    void aMessageIsFoundWhateverBecameOfIt() {
        AdminBench bench = bench();
        String uuid = "0193b5d4-7a50-7c3e-9c1a-1d2f3a4b5c6d";
        String longId = "f" + "x".repeat(600);
        bench.node.store(message("done"), message("failing").keyed("k"), message(longId));
        bench.node.receiver.receive(List.of(message(uuid)), each -> new HandlerTask.Single(DatabaseTest::effect));
        bench.node.work();
        clock.advance(Duration.ofMinutes(1));
        bench.node.store(message("waiting").keyed("k"));
        bench.node.claim(1, 10);

        InboxMessage done = bench.admin.find("billing", id("done")).orElseThrow();
        assertThat(done.status()).isEqualTo(Status.COMPLETED);
        assertThat(done.counters().attempts()).isEqualTo(1);
        assertThat(done.times().settledAt()).isEqualTo(start);
        assertThat(bench.admin.find("billing", id(uuid)).orElseThrow().status()).isEqualTo(Status.COMPLETED);
        InboxMessage failing = bench.admin.find("billing", id("failing")).orElseThrow();
        assertThat(failing.status()).isEqualTo(Status.IN_PROGRESS);
        assertThat(failing.progress().holder()).isNotNull();
        assertThat(failing.content().key()).isEqualTo("k");
        assertThat(failing.content().type()).hasToString("OrderPlaced");
        assertThat(failing.content().payloadBytes()).isEqualTo("{\"id\":\"failing\"}".length());
        assertThat(failing.content().contentType()).isEqualTo(Payload.JSON);
        assertThat(failing.failure()).isNotNull();
        assertThat(failing.times().receivedAt()).isEqualTo(start);
        assertThat(bench.admin.find("billing", id("waiting")).orElseThrow().status())
                .isEqualTo(Status.WAITING);
        assertThat(bench.admin.find("billing", id(longId)).orElseThrow().id().id())
                .isEqualTo(longId);
        assertThat(bench.admin.find("billing", id("unknown"))).isEmpty();
        assertThat(bench.admin.find("billing", new MessageId("/other", "done"))).isEmpty();
        assertThat(bench.admin.find("nobody", id("done"))).isEmpty();
        assertThat(bench.admin.consumers()).containsExactly("billing");
    }

    @Test
    void attemptsAreToldInTheirOrder() {
        AdminBench bench = bench();
        bench.node.store(message("f"));
        bench.node.work();
        clock.advance(Duration.ofMinutes(1));
        bench.node.work();

        var attempts = bench.admin.attempts(bench.admin.find("billing", id("f")).orElseThrow());

        assertThat(attempts).extracting("number").containsExactly(1, 2);
        assertThat(attempts).extracting("outcome").containsExactly(Status.FAILED_RETRYABLE, Status.FAILED_TERMINAL);
        assertThat(attempts)
                .allMatch(attempt -> attempt.node().equals("node")
                        && attempt.failure().errorClass().equals("java.lang.IllegalArgumentException")
                        && attempt.failure().stackTrace() != null);
    }

    @Test
    void everyPartOfAFilterCounts() {
        AdminBench bench = bench();
        bench.node.store(message("p1").keyed("a"), message("f1").keyed("b"));
        bench.node.work();
        clock.advance(Duration.ofSeconds(10));
        bench.node.store(message("w1").keyed("a"), message("r1").keyed("c"));
        bench.node.store(message("d1"));
        bench.admin.discard(bench.select("d1"), operation("op"));

        assertThat(look(bench, all())).containsExactly("p1", "f1", "w1", "r1");
        assertThat(look(bench, all().status(Status.PARKED, Status.WAITING))).containsExactly("p1", "w1");
        assertThat(look(bench, all().status(Status.DISCARDED))).containsExactly("d1");
        assertThat(look(bench, all().key("a"))).containsExactly("p1", "w1");
        assertThat(look(bench, all().errorClass("java.lang.IllegalArgumentException")))
                .containsExactly("f1");
        assertThat(look(bench, all().receivedAfter(start.plusSeconds(10)))).containsExactly("w1", "r1");
        assertThat(look(bench, all().receivedBefore(start.plusSeconds(10)))).containsExactly("p1", "f1");
        assertThat(look(bench, all().id(id("w1")))).containsExactly("w1");
        assertThat(look(bench, all().id(id("w1")).key("c"))).isEmpty();
        assertThat(look(bench, all().id(id("unknown")))).isEmpty();
        assertThat(look(bench, Filter.of("nobody"))).isEmpty();
        bench.node.claim(1, 1);
        assertThat(look(bench, all().status(Status.IN_PROGRESS))).containsExactly("r1");
        assertThat(look(bench, all().status(Status.RECEIVED))).isEmpty();
        assertThatThrownBy(() -> all().status(Status.COMPLETED)).hasMessageContaining("find(consumer, id)");
    }

    @Test
    void whatNoColumnCanHoldIsNotLookedFor() {
        AdminBench bench = bench();
        for (String never : List.of("a\0b", "a\ud800b")) {
            assertThatThrownBy(() -> Filter.of(never)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> all().key(never))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("The key of a filter")
                    .hasMessageContaining("'a?b'");
            assertThatThrownBy(() -> all().errorClass(never)).isInstanceOf(IllegalArgumentException.class);
            assertThat(bench.admin.find(never, id("1"))).isEmpty();
            assertThat(bench.admin.find("billing", new MessageId(never, "1"))).isEmpty();
            assertThatThrownBy(() -> all().id(new MessageId(never, "1"))).isInstanceOf(IllegalArgumentException.class);
            assertThat(bench.admin.paused(never)).isEmpty();
        }
        assertThat(look(bench, all().key("two\nlines"))).isEmpty();
    }

    @Test
    void anIdShowsItsConflictsToo() {
        AdminBench bench = bench();
        bench.node.store(message("p"));
        bench.node.work();
        bench.node.store(message("p").payload(Payload.json("[]")));

        List<InboxMessage> both =
                bench.admin.list(all().id(id("p")), Page.first(10)).messages();

        assertThat(both).hasSize(2).allMatch(message -> message.status() == Status.PARKED);
        assertThat(both.get(1).content().original()).isEqualTo(both.get(0).arrival());
        assertThat(both.get(1).progress().reason()).isEqualTo("CONFLICT");
    }

    @Test
    void pagesShowEveryMessageOnceWhileOthersComeAndGo() {
        AdminBench bench = bench();
        bench.node.store(IntStream.range(0, 25).mapToObj(i -> message("p" + i)).toArray(Message[]::new));
        bench.node.work();
        bench.node.store(IntStream.range(0, 10).mapToObj(i -> message("r" + i)).toArray(Message[]::new));
        List<String> shown = new ArrayList<>();
        Optional<Page> next = Optional.of(Page.first(8));

        int pages = 0;
        while (next.isPresent()) {
            MessagePage messagePage = bench.admin.list(all(), next.get());
            shown.addAll(ids(messagePage.messages()));
            next = messagePage.next();
            bench.node.store(message("late" + pages++));
            bench.admin.discard(List.of(messagePage.messages().get(0).ref()), operation("page " + pages));
        }

        assertThat(shown).doesNotHaveDuplicates();
        assertThat(shown.subList(0, 35))
                .containsExactlyElementsOf(IntStream.range(0, 35)
                        .mapToObj(i -> i < 25 ? "p" + i : "r" + (i - 25))
                        .toList());
    }

    @Test
    void aCountIsExactUpToItsCap() {
        AdminBench bench = bench();
        bench.node.store(IntStream.range(0, 7).mapToObj(i -> message("p" + i)).toArray(Message[]::new));
        bench.node.work();
        bench.node.store(message("r"));

        assertThat(bench.admin.count(all(), 100)).hasToString("8");
        assertThat(bench.admin.count(all(), 8)).hasToString("8");
        assertThat(bench.admin.count(all(), 7)).hasToString("at least 7");
        assertThat(bench.admin.count(all().status(Status.PARKED), 7)).hasToString("7");
        assertThat(bench.admin.count(all().status(Status.PARKED).id(id("p3")), 1))
                .hasToString("1");
        assertThat(bench.admin.count(Filter.of("nobody"), 1)).hasToString("0");
    }

    @Test
    void whatPeopleDidIsTold() {
        AdminBench bench = bench();
        bench.node.store(message("p"), message("q"));
        bench.admin.park(bench.select("p", "q"), operation("park"));
        clock.advance(Duration.ofSeconds(1));
        bench.admin.discard(bench.select("p"), operation("discard"));

        var told = bench.admin.operations(bench.admin.find("billing", id("p")).orElseThrow());

        assertThat(told).extracting(each -> each.operation().id()).containsExactly("park", "discard");
        assertThat(told).extracting("at").containsExactly(start, start.plusSeconds(1));
        assertThat(bench.admin.operations(bench.admin.find("billing", id("q")).orElseThrow()))
                .hasSize(1);
    }

    @Test
    void aLookOnManyRowsGoesAlongTheIndexes() {
        Assumptions.assumeTrue(isPostgres(), "the plans are PostgreSQL's");
        AdminBench bench = bench();
        bench.node.store(message("r1"));
        many("WAITING");
        long scanned = reads("seq_tup_read");
        long found = reads("idx_tup_fetch");

        for (int i = 0; i < 10; i++) {
            assertThat(bench.admin.list(all(), Page.first(50)).messages()).hasSize(50);
            assertThat(bench.admin.count(all(), 100)).hasToString("at least 100");
        }

        assertThat(reads("idx_tup_fetch") - found).as("rows found by an index").isBetween(1_000L, 100_000L);
        assertThat(reads("seq_tup_read") - scanned)
                .as("rows read with a whole table")
                .isLessThan(1_000);
    }

    @Test
    void whatIsWorkedOnIsLookedForByItsLease() {
        Assumptions.assumeTrue(isPostgres(), "the plans are PostgreSQL's");
        AdminBench bench = bench();
        bench.node.store(message("r1"), message("r2"));
        bench.node.claim(1, 2);
        many("RECEIVED");
        long scanned = reads("seq_tup_read");
        long found = reads("idx_tup_fetch");

        for (int i = 0; i < 10; i++) {
            assertThat(look(bench, all().status(Status.IN_PROGRESS))).containsExactly("r1", "r2");
            assertThat(look(bench, all().status(Status.IN_PROGRESS, Status.PARKED)))
                    .containsExactly("r1", "r2");
            assertThat(bench.admin.count(all().status(Status.IN_PROGRESS), 100)).hasToString("2");
        }

        assertThat(reads("idx_tup_fetch") - found).as("rows found by an index").isBetween(60L, 2_000L);
        assertThat(reads("seq_tup_read") - scanned)
                .as("rows read with a whole table")
                .isLessThan(1_000);
    }

    @Test
    void aKeyIsLookedForByItsIndex() {
        Assumptions.assumeTrue(isPostgres(), "the plans are PostgreSQL's");
        AdminBench bench = bench();
        bench.node.store(message("p1").keyed("a"), message("w1").keyed("a"));
        bench.node.work();
        many("WAITING");
        database.run("update idembox_entry set key_id = -1 where arrival > 1000000");
        long bodies = bodies();

        for (int i = 0; i < 10; i++) {
            assertThat(look(bench, all().key("a"))).containsExactly("p1", "w1");
            assertThat(bench.admin.count(all().key("a"), 100)).hasToString("2");
        }

        assertThat(bodies() - bodies).as("bodies that were read").isBetween(20L, 1_000L);
    }

    @Test
    void whatIsComparedMessageByMessageIsMetAlongTheIndexes() {
        Assumptions.assumeTrue(isPostgres(), "the plans are PostgreSQL's");
        AdminBench bench = bench();
        bench.node.store(message("r1"));
        many("WAITING");
        List<Filter> met = List.of(
                all().type("A"),
                all().source("/orders"),
                all().attemptsAtMost(5),
                all().receivedAfter(start.minusSeconds(1)),
                all().type("A").source("/orders").attemptsAtMost(0).receivedAfter(start.minusSeconds(1)));
        long scanned = reads("seq_tup_read");
        long found = reads("idx_tup_fetch");

        for (int i = 0; i < 10; i++) {
            for (Filter filter : met) {
                assertThat(bench.admin.list(filter, Page.first(50)).messages()).hasSize(50);
            }
            assertThat(look(bench, all().id("r1"))).containsExactly("r1");
            assertThat(look(bench, all().id("nobody"))).isEmpty();
        }

        assertThat(reads("idx_tup_fetch") - found).as("rows found by an index").isBetween(2_500L, 100_000L);
        assertThat(reads("seq_tup_read") - scanned)
                .as("rows read with a whole table")
                .isLessThan(1_000);
    }

    @Test
    @Tag("slow")
    void aLookThatTakesTooLongIsGivenUpAndSaysWhatToNarrow() throws SQLException {
        Assumptions.assumeTrue(isPostgres(), "H2 has no timeout for a statement alone");
        AdminBench bench = bench();
        bench.node.store(message("r1"));
        // The server takes the lock away after a while, so a look without a bound is answered then, and not never.
        try (Connection closed = database.dataSource().getConnection()) {
            closed.setAutoCommit(false);
            try (PreparedStatement lock = closed.prepareStatement(
                    "set local idle_in_transaction_session_timeout = '12s'; lock table idembox_entry in access exclusive mode")) {
                lock.execute();
                assertThatThrownBy(() -> look(bench, all()))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("within 5 s")
                        .hasMessageContaining("Look for less");
            } finally {
                closed.rollback();
            }
        }
        assertThat(look(bench, all())).containsExactly("r1");
    }

    @Test
    void whatPeopleDidIsFoundByAnIndex() {
        Assumptions.assumeTrue(isPostgres(), "the plans are PostgreSQL's");
        AdminBench bench = bench();
        bench.node.store(message("p"));
        bench.admin.park(bench.select("p"), operation("park"));
        database.run(
                "insert into idembox_operation (operation_id, kind, consumer_id, by_whom, reason, given_at, asked, done,"
                        + " arrivals, verdicts, states) select 'other' || n, kind, consumer_id, by_whom, reason, given_at, 1, 1,"
                        + " array[n + 1000000], 'D', 'P' from idembox_operation, generate_series(1, 20000) n",
                "analyze idembox_operation");
        long before = operationsRead();

        for (int i = 0; i < 10; i++) {
            assertThat(bench.admin.operations(
                            bench.admin.find("billing", id("p")).orElseThrow()))
                    .hasSize(1);
        }

        assertThat(operationsRead() - before).as("operations that were read").isBetween(10L, 1_000L);
    }

    private long operationsRead() {
        database.run("select pg_stat_force_next_flush()");
        return Long.parseLong(
                database.one("select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) from pg_stat_user_tables"
                        + " where relname = 'idembox_operation'"));
    }

    /** Fifty thousand messages in a state, behind those there are. */
    private void many(String state) {
        database.run(
                "insert into idembox_entry (arrival, consumer_id, failures, crashes, releases, state, owner)"
                        + " select 1000000 + n * 2, e.consumer_id, 0, 0, 0, '" + state + "', 'INBOX' from"
                        + " (select min(consumer_id) as consumer_id from idembox_entry) e, generate_series(1, 50000) n",
                "insert into idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type)"
                        + " select e.arrival, 0, 1, e.consumer_id, b.source_id, cast('a' || e.arrival as bytea), 'A' from"
                        + " idembox_entry e, (select min(source_id) as source_id from idembox_body) b"
                        + " where e.arrival > 1000000",
                "insert into idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)"
                        + " select arrival, now(), gen_random_uuid(), consumer_id, source_id, 'S', id from idembox_body"
                        + " where event_type = 'A'");
    }

    private long bodies() {
        database.run("select pg_stat_force_next_flush()");
        return Long.parseLong(
                database.one("select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) from pg_stat_user_tables"
                        + " where relname = 'idembox_body'"));
    }

    private long reads(String what) {
        database.run("select pg_stat_force_next_flush()");
        return Long.parseLong(database.one("select sum(" + what + ") from pg_stat_user_tables where relname in"
                + " ('idembox_entry', 'idembox_body', 'idembox_ledger')"));
    }

    @Test
    void theDoorOfAnInboxKnowsItsPolicies() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        InboxAdmin admin = inbox.admin();

        assertThat(admin.consumers()).containsExactly("billing");
        assertThat(admin.explain("billing", id("1")).toString()).contains("COMPLETED");
        inbox.close();
        assertThatThrownBy(() -> inbox.admin()).hasMessageContaining("closed");
    }
}
