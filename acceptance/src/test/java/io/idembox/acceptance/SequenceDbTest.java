// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerException;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.admin.CommandResult;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Gap;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.net.SocketException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Old ones are skipped, the next one runs, early ones wait until the gap is filled, or until somebody gives up. */
class SequenceDbTest extends DatabaseTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final SequencePolicy BY_HEADER = SequencePolicy.by(SequenceNumber.header("version"));
    private static final ConsumerPolicy STORED = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(new RetryPolicy(3, Duration.ofMinutes(1), Duration.ofMinutes(1), 1, 0, RetryBy.INBOX, Map.of()))
            .sequence(BY_HEADER);

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Bench bench(ConsumerPolicy policy) {
        return bench(policy, DatabaseTest::effect);
    }

    private Bench bench(ConsumerPolicy policy, InboxHandler handler) {
        return new Bench(database, "node", clock, seen, policy, handler);
    }

    private static Message version(String key, long version) {
        return message(key + version).keyed(key).header("version", Long.toString(version));
    }

    private List<Receipt> handle(Bench bench, Message... messages) {
        return bench.receiver.receive(List.of(messages), message -> new HandlerTask.Single(DatabaseTest::effect));
    }

    private void drain(Bench bench) {
        int left = 100;
        while (!bench.work().isEmpty() && left > 0) {
            left--;
        }
        assertThat(left).as("rounds left").isPositive();
    }

    private List<String> ran() {
        return database.list("select id from effect");
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by arrival");
    }

    @Test
    void whatComesTooEarlyWaitsUntilTheGapIsFilled() {
        Bench one = bench(STORED);
        one.store(version("a", 1));
        one.store(version("a", 4), version("a", 2), version("b", 7));
        drain(one);
        assertThat(ran()).containsExactlyInAnyOrder("a1", "a2", "b7");
        assertThat(states()).contains("a4 WAITING");

        one.store(version("a", 3));
        drain(one);
        assertThat(ran()).endsWith("a3", "a4");
        assertThat(states()).allMatch(state -> state.endsWith("COMPLETED"));
    }

    @Test
    void whatIsTooOldIsSettledWithoutBeingRunAndSaysSo() {
        Bench one = bench(STORED);
        handle(one, version("a", 5), version("a", 6));

        assertThat(handle(one, version("a", 4))).extracting(Receipt::kind).containsExactly(Receipt.Kind.SKIPPED);
        assertThat(handle(one, version("a", 4))).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(ran()).containsExactly("a5", "a6");
        assertThat(database.list("select message_id || ' ' || attempts from idembox_inbox order by arrival"))
                .containsExactly("a5 1", "a6 1", "a4 0");
    }

    @Test
    void anotherMessageOfTheSamePlaceIsTooOldWhenTheFirstOneIsDone() {
        Bench one = bench(STORED);
        Message twin = message("twin").keyed("a").header("version", "1");
        one.store(version("a", 1), twin, version("a", 2));
        drain(one);

        assertThat(ran()).containsExactly("a1", "a2");
        assertThat(database.list("select message_id || ' ' || status || attempts from idembox_inbox order by arrival"))
                .containsExactly("a1 COMPLETED1", "twin COMPLETED0", "a2 COMPLETED1");
    }

    @Test
    void aBatchInTheRightOrderRunsAtOnce() {
        Bench one = bench(STORED);
        List<Receipt> receipts = handle(one, version("a", 1), version("b", 1), version("a", 2), version("a", 3));

        assertThat(receipts).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED);
        assertThat(ran()).containsSubsequence("a1", "a2", "a3");
        assertThat(database.one("select max(reached) from idembox_sequence")).isEqualTo("3");
    }

    /** Finding C1: the message behind began the sequence, and the one in front was then too old and never ran. */
    @Test
    void aMessageThatIsGivenBackDoesNotBeginTheSequenceOfItsKey() throws Exception {
        Bench one = bench(STORED);
        try (Connection elsewhere = recordedElsewhere(version("a", 5))) {
            assertThat(one.store(version("a", 5), version("a", 6)))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.BUSY, Receipt.Kind.BUSY);
            assertThat(handle(one, version("a", 5), version("a", 6)))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.BUSY, Receipt.Kind.BUSY);
            elsewhere.rollback();
        }
        assertThat(database.count("idembox_sequence")).isZero();

        assertThat(handle(one, version("a", 5), version("a", 6)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
        assertThat(ran()).containsExactly("a5", "a6");
    }

    /** The time of a gap would count from then on, although the message that waits behind it was taken back. */
    @Test
    void aMessageThatIsGivenBackDoesNotStartTheTimeOfAGap() throws Exception {
        Bench one = bench(STORED);
        handle(one, version("a", 1));
        try (Connection elsewhere = recordedElsewhere(version("a", 2))) {
            one.store(version("a", 2), version("a", 4));
            elsewhere.rollback();
        }

        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.one("select count(*) from idembox_sequence where gap_since is not null"))
                .isEqualTo("0");
    }

    /** Three in a row that meet an outage are given back: an earlier one that comes next is not too old. */
    @Test
    void messagesThatMetAnOutageDoNotBeginTheirSequences() {
        Bench down = bench(STORED, context -> {
            throw new SocketException("connection reset");
        });
        assertThat(down.handle(version("a", 5), version("b", 5), version("c", 5), version("a", 4)))
                .extracting(Receipt::kind)
                .containsOnly(Receipt.Kind.BUSY);

        Bench up = bench(STORED);
        assertThat(up.handle(version("a", 4), version("a", 5)))
                .extracting(Receipt::kind)
                .containsOnly(Receipt.Kind.COMPLETED);
        assertThat(ran()).containsExactly("a4", "a5");
    }

    /** The message behind came back at once and began the sequence, and the one that met the outage was then too old. */
    @Test
    void aMessageBehindOneThatMetAnOutageComesBackNoSooner() {
        Set<String> down = new HashSet<>(Set.of("a5", "b1", "c1"));
        Bench one = bench(STORED, context -> {
            if (down.contains(context.id().id())) {
                throw new SocketException("connection reset");
            }
            effect(context);
        });
        List<Message> batch = List.of(version("a", 5), version("a", 6), version("b", 1), version("c", 1));
        List<Receipt> receipts = one.receiver.receive(batch, one::job);
        assertThat(receipts).extracting(Receipt::kind).containsOnly(Receipt.Kind.BUSY);
        assertThat(receipts.get(1).retryAfter().orElseThrow())
                .isEqualTo(receipts.get(0).retryAfter().orElseThrow())
                .isEqualTo(Duration.ofSeconds(1));

        down.clear();
        one.redeliverByPause(batch, receipts);
        assertThat(ran()).containsSubsequence("a5", "a6").hasSize(4);
    }

    /** Another transaction has recorded the message and has not committed. */
    private Connection recordedElsewhere(Message message) throws Exception {
        Connection connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        bench(ConsumerPolicy.defaults()).receiver.handleIn(connection, message, context -> {});
        return connection;
    }

    /** Finding C6: both were released again and again. */
    @Test
    void aBatchInTheWrongOrderIsPutRight() {
        Bench one = bench(STORED.sequence(BY_HEADER.startingAt(1)));

        assertThat(handle(one, version("a", 2), version("a", 1)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.STORED, Receipt.Kind.COMPLETED);
        drain(one);
        assertThat(ran()).containsExactly("a1", "a2");
    }

    @Test
    void directModeKeepsAnEarlyOneAndLetsItGoWithTheMissingOne() {
        Bench one = bench(STORED);
        handle(one, version("a", 1));

        assertThat(handle(one, version("a", 3))).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        assertThat(handle(one, version("a", 2))).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        drain(one);
        assertThat(ran()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void aFailedOneDoesNotMoveTheSequence() {
        Bench one = bench(STORED, context -> {
            if (context.attempt() == 1 && context.id().id().equals("a1")) {
                throw new IllegalStateException("not yet");
            }
            effect(context);
        });
        one.store(version("a", 1), version("a", 2));
        drain(one);
        assertThat(ran()).isEmpty();

        clock.advance(Duration.ofMinutes(1));
        drain(one);
        assertThat(ran()).containsExactly("a1", "a2");
    }

    @Test
    void aParkedOneHoldsTheSequenceOrIsPassedAsThePolicySays() {
        for (Ordering ordering : List.of(Ordering.HOLD, Ordering.SKIP_PARKED)) {
            String key = ordering == Ordering.HOLD ? "h" : "s";
            Bench one = bench(STORED.ordering(ordering), context -> {
                if (context.id().id().endsWith("1")) {
                    throw HandlerException.park("look at it");
                }
                effect(context);
            });
            one.store(version(key, 1), version(key, 2));
            drain(one);
        }
        assertThat(states()).containsExactly("h1 PARKED", "h2 WAITING", "s1 PARKED", "s2 COMPLETED");
    }

    @Test
    void theFirstPlaceMayBeDeclared() {
        Bench one = bench(STORED.sequence(BY_HEADER.startingAt(1)));
        one.store(version("a", 2));
        drain(one);
        assertThat(ran()).isEmpty();

        one.store(version("a", 1));
        drain(one);
        assertThat(ran()).containsExactly("a1", "a2");
    }

    @Test
    void aGapThatStaysOpenIsParkedAndFillingItLaterLetsARedriveGoOn() {
        AdminBench admin = new AdminBench(
                database, clock, STORED.sequence(BY_HEADER.parkGapsAfter(PATIENCE)), DatabaseTest::effect);
        Bench one = admin.node;
        one.store(version("a", 1), version("a", 3), version("a", 4));
        drain(one);
        clock.advance(PATIENCE.minusSeconds(1));
        assertThat(one.gaps().look()).isZero();

        clock.advance(Duration.ofSeconds(2));
        assertThat(one.gaps().look()).isEqualTo(1);
        assertThat(one.gaps().look()).isZero();
        assertThat(states()).containsExactly("a1 COMPLETED", "a3 PARKED", "a4 WAITING");
        assertThat(database.list("select reason from idembox_inbox where message_id = 'a3'"))
                .containsExactly("GAP");
        assertThat(admin.seen.all(InboxEvent.GapTimedOut.class))
                .extracting(InboxEvent.GapTimedOut::gap)
                .containsExactly(new Gap("billing", "a", 2, 2));

        one.store(version("a", 2));
        drain(one);
        assertThat(states()).containsExactly("a1 COMPLETED", "a3 PARKED", "a4 WAITING", "a2 COMPLETED");

        admin.admin.redrive(admin.select("a3"), AdminBench.operation("mended"));
        drain(one);
        assertThat(ran()).containsExactly("a1", "a2", "a3", "a4");
    }

    @Test
    void aDiscardedOneIsPassedWhenItWasItsTurnAndLeavesAGapOtherwise() {
        AdminBench admin = new AdminBench(database, clock, STORED.sequence(BY_HEADER.startingAt(1)), context -> {
            if (context.id().id().endsWith("1")) {
                throw HandlerException.park("look at it");
            }
            effect(context);
        });
        admin.node.store(version("a", 1), version("a", 2), version("b", 3));
        drain(admin.node);

        admin.admin.discard(admin.select("a1", "b3"), AdminBench.operation("give up"));
        drain(admin.node);
        assertThat(ran()).containsExactly("a2");
        admin.node.store(version("b", 4));
        drain(admin.node);
        assertThat(ran()).containsExactly("a2");
        assertThat(admin.admin.explain("billing", AdminBench.id("b4")).toString())
                .contains("have not been received yet");
    }

    @Test
    void behindAGapTheFirstOneWaitsForWhatIsMissingAndTheOthersForIt() {
        AdminBench admin = new AdminBench(database, clock, STORED, DatabaseTest::effect);
        admin.node.store(version("a", 1), version("a", 5), version("a", 3), version("a", 4));
        drain(admin.node);

        assertThat(explain(admin, "a3"))
                .contains(
                        "No earlier message of its key is unfinished, but sequence number 2 of its key has not been received yet.")
                .doesNotContain("It waits for");
        assertThat(explain(admin, "a4"))
                .contains(
                        "It waits for /orders/a3 of the same key, which is WAITING.",
                        "That message waits too: explain it.");
        assertThat(explain(admin, "a5")).contains("It waits for /orders/a3 of the same key");

        admin.node.store(version("a", 2));
        assertThat(explain(admin, "a3")).contains("It waits for /orders/a2 of the same key, which is RECEIVED.");
    }

    @Test
    void whatItsKeyIsPastIsNotRedrivenAndSaysWhatToDo() {
        for (Ordering ordering : List.of(Ordering.HOLD, Ordering.SKIP_PARKED)) {
            String key = ordering == Ordering.HOLD ? "h" : "s";
            AdminBench admin = new AdminBench(database, clock, STORED.ordering(ordering), context -> {
                if (context.id().id().endsWith("1")) {
                    throw HandlerException.park("look at it");
                }
                effect(context);
            });
            admin.node.store(version(key, 1), version(key, 2));
            drain(admin.node);
            if (ordering == Ordering.HOLD) {
                admin.admin.discard(admin.select(key + 1), AdminBench.operation("give up"));
                assertThat(explain(admin, key + 1))
                        .contains("Its sequence number 1 was already passed (its key has reached 1)");
                drain(admin.node);
                admin.admin.restore(admin.select(key + 1), AdminBench.operation("take back"));
            }
            assertThat(states()).contains(key + "1 PARKED", key + "2 COMPLETED");

            assertThat(AdminBench.verdicts(
                            admin.admin.redrive(admin.select(key + 1), AdminBench.operation("again" + key))))
                    .containsExactly(CommandResult.PASSED);
            drain(admin.node);
            assertThat(states()).contains(key + "1 PARKED");
            assertThat(explain(admin, key + 1))
                    .contains(
                            "Its sequence number 1 was already passed (its key has reached 2): it cannot be redriven any more.",
                            "Apply its effect manually, then discard it.")
                    .doesNotContain("redrive it", "redrives");
            assertThat(AdminBench.verdicts(
                            admin.admin.discard(admin.select(key + 1), AdminBench.operation("done" + key))))
                    .containsExactly(CommandResult.DONE);
        }
    }

    private static String explain(AdminBench admin, String id) {
        return admin.admin.explain("billing", AdminBench.id(id)).toString();
    }

    @Test
    void aGapThatStaysOpenIsSkippedAndWhatComesTooLateIsOld() {
        Bench one = bench(STORED.sequence(BY_HEADER.skipGapsAfter(PATIENCE)));
        one.store(version("a", 1), version("a", 4), version("a", 5));
        drain(one);
        clock.advance(PATIENCE.plusSeconds(1));

        assertThat(one.gaps().look()).isEqualTo(1);
        drain(one);
        assertThat(ran()).containsExactly("a1", "a4", "a5");
        one.store(version("a", 3));
        drain(one);
        assertThat(ran()).containsExactly("a1", "a4", "a5");
    }

    @Test
    void somebodyIsAskedToFetchWhatIsMissingUntilItIsThere() {
        List<Gap> asked = new ArrayList<>();
        Bench one = bench(STORED.sequence(BY_HEADER.refetchGapsAfter(PATIENCE, asked::add)));
        one.store(version("a", 1), version("a", 4));
        drain(one);
        clock.advance(PATIENCE.plusSeconds(1));
        one.gaps().look();
        one.gaps().look();
        assertThat(asked).containsExactly(new Gap("billing", "a", 2, 3));

        one.store(version("a", 2));
        drain(one);
        clock.advance(PATIENCE.plusSeconds(1));
        one.gaps().look();
        assertThat(asked).endsWith(new Gap("billing", "a", 3, 3)).hasSize(2);

        one.store(version("a", 3));
        drain(one);
        clock.advance(PATIENCE.plusSeconds(1));
        assertThat(one.gaps().look()).isZero();
        assertThat(ran()).containsExactly("a1", "a2", "a3", "a4");
    }

    @Test
    void aConsumerThatGuardsNoSequenceAnyMoreHasNoGaps() {
        Bench one = bench(STORED);
        one.store(version("a", 1), version("a", 4));
        drain(one);

        Bench later = bench(STORED.sequence(null));
        clock.advance(Duration.ofSeconds(1));
        later.gaps().look();
        drain(later);
        assertThat(ran()).containsExactly("a1", "a4");
    }

    @Test
    void whatDoesNotSayItsPlaceIsParkedAndHoldsNobody() {
        Bench one = bench(STORED);
        one.store(message("lost").keyed("a"), message("keyless").header("version", "1"));
        one.store(version("a", 1));
        drain(one);

        assertThat(states()).containsExactly("lost PARKED", "keyless PARKED", "a1 COMPLETED");
        assertThat(database.list("select distinct reason from idembox_inbox where status = 'PARKED'"))
                .containsExactly("NO_SEQUENCE");
    }

    @Test
    void unsafeSettingsAreRefused() {
        assertThatThrownBy(() -> ConsumerPolicy.defaults().sequence(BY_HEADER))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("ordering");
        Bench one = bench(STORED);
        assertThatThrownBy(() -> {
                    try (Connection connection = database.dataSource().getConnection()) {
                        connection.setAutoCommit(false);
                        one.receiver.handleIn(connection, version("a", 1), DatabaseTest::effect);
                    }
                })
                .hasMessageContaining("guards the sequence");
    }
}
