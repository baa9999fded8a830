// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.admin.DeadLetter;
import io.idembox.admin.Filter;
import io.idembox.admin.ImportReport;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.OldDeadLetters;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.Retention;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages that failed elsewhere become parked ones, once, under their own identity. */
class AdoptDbTest extends DatabaseTest {

    private static final ConsumerPolicy ORDERED = ConsumerPolicy.defaults().ordering(Ordering.HOLD);

    private final ManualClock clock = ManualClock.create();
    private final InboxHandler handler = DatabaseTest::effect;

    private AdminBench bench(ConsumerPolicy policy) {
        return new AdminBench(database, clock, policy, handler);
    }

    private static DeadLetter dead(Message message) {
        return new DeadLetter(message, "com.example.BankClosedException", "the bank is closed", """
                org.example.ListenerFailed: value 4711
                \tat org.example.Listener.call(Listener.java:12)
                Caused by: com.example.BankClosedException: the bank of 4711 is closed
                \tat com.example.Bank.pay(Bank.java:7)
                some text that quotes 4711
                """);
    }

    private static List<ImportReport.Outcome> outcomes(ImportReport importReport) {
        return importReport.lines().stream().map(ImportReport.Line::outcome).toList();
    }

    @Test
    void aDeadLetterIsParkedWithItsErrorAndRunsWhenItIsRedriven() {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        ImportReport importReport = bench.admin.importDeadLetters("billing", List.of(dead(message("1"))));
        assertThat(importReport.lines())
                .containsExactly(new ImportReport.Line(ImportReport.Outcome.PARKED, id("1"), ""));
        InboxMessage found = bench.admin.find("billing", id("1")).orElseThrow();
        assertThat(found.status()).isEqualTo(Status.PARKED);
        assertThat(found.progress().reason()).isEqualTo("DEAD_LETTER");
        assertThat(found.failure().errorClass()).isEqualTo("com.example.BankClosedException");
        assertThat(found.failure().message()).isEqualTo("the bank is closed");
        assertThat(bench.admin.attempts(found).get(0).failure().stackTrace()).isEqualTo("""
                        org.example.ListenerFailed
                          at org.example.Listener.call(Listener.java:12)
                        caused by com.example.BankClosedException
                          at com.example.Bank.pay(Bank.java:7)
                        """);
        assertThat(bench.admin.explain("billing", id("1")).toString()).contains("failed in another system");
        assertThat(effects()).isEmpty();
        bench.admin.redrive(List.of(found.ref()), Operation.of("anna", "it is open"));
        bench.node.work();
        assertThat(effects()).containsExactly("1");
        assertThat(bench.admin.find("billing", id("1")).orElseThrow().status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    void theSameOnesAgainChangeNothing() {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        List<DeadLetter> letters = List.of(dead(message("1")), dead(message("2")), dead(message("1")));
        assertThat(outcomes(bench.admin.importDeadLetters("billing", letters)))
                .containsExactly(ImportReport.Outcome.PARKED, ImportReport.Outcome.PARKED, ImportReport.Outcome.KNOWN);
        assertThat(outcomes(bench.admin.importDeadLetters("billing", letters)))
                .containsOnly(ImportReport.Outcome.KNOWN)
                .hasSize(3);
        assertThat(database.count("idembox_entry")).isEqualTo(2);
        assertThat(database.count("idembox_attempt")).isEqualTo(2);
    }

    @Test
    void oldLetterThatIsNotKnownIsRefusedAndLeavesNothing() {
        AdminBench bench = bench(ConsumerPolicy.defaults().retention(Retention.of(Duration.ofDays(30))));
        Instant longAgo = clock.instant().minus(Duration.ofDays(31));
        Instant lately = clock.instant().minus(Duration.ofDays(29));
        bench.node.handle(message("done"));
        List<DeadLetter> letters = List.of(
                dead(message("old").sentAt(longAgo)),
                dead(message("done").sentAt(longAgo)),
                dead(message("young").sentAt(lately)),
                dead(message("timeless")),
                dead(message("old").sentAt(longAgo)));
        ImportReport importReport = bench.admin.importDeadLetters("billing", letters);
        assertThat(outcomes(importReport))
                .containsExactly(
                        ImportReport.Outcome.TOO_OLD,
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.PARKED,
                        ImportReport.Outcome.PARKED,
                        ImportReport.Outcome.TOO_OLD);
        assertThat(importReport.lines().get(0).description()).contains("retention.ledger", "720 hours");
        assertThat(bench.admin.find("billing", id("old"))).isEmpty();
        assertThat(database.count("idembox_ledger")).isEqualTo(3);
        assertThat(database.count("idembox_body")).isEqualTo(2);
        assertThat(database.count("idembox_attempt")).isEqualTo(2);

        ImportReport chosen = bench.admin.importDeadLetters("billing", letters, OldDeadLetters.PARK);
        assertThat(outcomes(chosen))
                .containsExactly(
                        ImportReport.Outcome.PARKED,
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.KNOWN);
        assertThat(chosen.lines().get(0).description()).contains("a redrive repeats its effect");
        assertThat(database.list("select status from idembox_inbox where message_id = 'old'"))
                .containsExactly("PARKED");
        assertThat(database.count("idembox_body")).isEqualTo(3);
    }

    @Test
    void whatIsKnownIsLeftAsItIs() {
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .retry(RetryPolicy.exponential(5, Duration.ofMinutes(1), Duration.ofMinutes(1)));
        AdminBench bench = new AdminBench(database, clock, policy, context -> {
            if (context.id().id().startsWith("f")) {
                throw new IllegalStateException("not now");
            }
            effect(context);
        });
        bench.node.handle(message("done"));
        bench.node.store(message("stored"));
        assertThat(bench.node.handle(message("failed")).get(0).acknowledges()).isFalse();
        bench.admin.importDeadLetters("billing", List.of(dead(message("given up"))));
        bench.admin.discard(
                List.of(bench.admin
                        .find("billing", id("given up"))
                        .orElseThrow()
                        .ref()),
                Operation.of("anna", "no"));
        String before = rows();
        ImportReport importReport = bench.admin.importDeadLetters(
                "billing",
                List.of(
                        dead(message("done")),
                        dead(message("stored")),
                        dead(message("failed")),
                        dead(message("given up")),
                        dead(message("new"))));
        assertThat(outcomes(importReport))
                .containsExactly(
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.KNOWN,
                        ImportReport.Outcome.PARKED);
        assertThat(database.list("select state from idembox_entry where error_class <> 'x' and reason = 'DEAD_LETTER'"))
                .containsExactly("PARKED");
        database.run("delete from idembox_entry where reason = 'DEAD_LETTER' and state = 'PARKED'");
        assertThat(rows()).isEqualTo(before);
    }

    private String rows() {
        return database.list("select concat(arrival, state, owner, failures, releases, changed_at) from idembox_entry"
                        + " order by arrival")
                .toString();
    }

    @Test
    void anotherPayloadUnderAKnownIdIsParkedBesideIt() {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        bench.node.handle(message("1"));
        Message other = message("1").payload(Payload.json("{\"other\":1}"));
        assertThat(outcomes(bench.admin.importDeadLetters("billing", List.of(dead(other)))))
                .containsExactly(ImportReport.Outcome.CONFLICT);
        bench.admin.importDeadLetters("billing", List.of(dead(other)));
        assertThat(bench.admin
                        .count(Filter.of("billing").status(Status.PARKED), 10)
                        .number())
                .isEqualTo(1);
    }

    @Test
    void inAnOrderedConsumerItHoldsNobodyAndTakesNoLane() {
        AdminBench bench = bench(ORDERED);
        List<DeadLetter> letters = new ArrayList<>();
        for (int n = 1; n <= 3; n++) {
            letters.add(dead(message("d" + n).keyed("a").at(new Position("orders", 0, n))));
        }
        assertThat(bench.admin.importDeadLetters("billing", letters).count(ImportReport.Outcome.PARKED))
                .isEqualTo(3);
        assertThat(database.count("idembox_partition")).isZero();
        assertThat(database.list("select count(key_id) from idembox_entry")).containsExactly("0");
        assertThat(bench.node.handle(message("live").keyed("a")).get(0).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        bench.admin.redrive(
                bench.admin
                        .preview(Filter.of("billing").key("a").status(Status.PARKED), 10)
                        .refs(),
                Operation.of("anna", "it is open"));
        bench.node.work();
        assertThat(effects()).containsExactly("d1", "d2", "d3", "live");
    }

    @Test
    void deadLettersAreNoFailuresOfThisConsumer() {
        List<DeadLetter> letters =
                IntStream.range(0, 1_000).mapToObj(n -> dead(message("m" + n))).toList();
        try (Inbox other =
                builder().consumer("billing", ConsumerPolicy.defaults()).start()) {
            assertThat(other.admin().importDeadLetters("billing", letters).count(ImportReport.Outcome.PARKED))
                    .isEqualTo(1_000);
        }
        assertThat(events).noneMatch(event -> event instanceof InboxEvent.Paused);
        assertThat(database.list("select coalesce(sum(failed), 0) from idembox_receipt_count"))
                .containsExactly("0");
    }

    @Test
    void whoDoesNotKnowThePolicyDoesNotKnowTheId() {
        assertThatThrownBy(() -> inbox.admin().importDeadLetters("nobody", List.of(dead(message("1")))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("policy of consumer nobody");
        assertThatThrownBy(() -> inbox.admin()
                        .importDeadLetters(
                                "billing",
                                IntStream.range(0, InboxAdmin.LIMIT + 1)
                                        .mapToObj(n -> dead(message("m" + n)))
                                        .toList()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("At most 1000");
    }

    @Test
    void oneWithoutIdIsParkedUnderItsPosition() {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        Message nameless = Message.withoutId(Headers.none(), Payload.json("{}")).at(new Position("orders", 1, 7));
        for (int times = 0; times < 2; times++) {
            bench.admin.importDeadLetters("billing", List.of(dead(nameless)));
        }
        assertThat(database.list("select reason from idembox_entry")).containsExactly("NO_ID");
    }
}
