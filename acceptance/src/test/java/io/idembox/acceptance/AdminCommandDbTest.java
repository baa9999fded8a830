// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.operation;
import static io.idembox.acceptance.AdminBench.verdicts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Filter;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Lease;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Commands do what their preview showed, once, or say why not. */
class AdminCommandDbTest extends DatabaseTest {

    private static final RetryPolicy TWICE = RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO);
    private static final ConsumerPolicy BY_INBOX = ConsumerPolicy.defaults().retry(TWICE.by(RetryBy.INBOX));
    private static final ConsumerPolicy BY_REDELIVERY =
            ConsumerPolicy.defaults().retry(TWICE.by(RetryBy.REDELIVERY));

    private final ManualClock clock = ManualClock.create();
    private final AtomicBoolean mended = new AtomicBoolean();

    private final InboxHandler broken = context -> {
        if (!mended.get()) {
            throw new IllegalStateException("the bank is closed");
        }
        effect(context);
    };

    private AdminBench bench(ConsumerPolicy policy) {
        return new AdminBench(database, clock, policy, broken);
    }

    private static List<Receipt> deliver(AdminBench bench, InboxHandler handler, Message... messages) {
        return bench.node.receiver.receive(List.of(messages), message -> new HandlerTask.Single(handler));
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by arrival");
    }

    private AdminBench failed(String... ids) {
        return bench(BY_INBOX).failed(ids);
    }

    @Test
    void whatIsRedrivenIsTriedAgainWithAllItsAttempts() {
        AdminBench bench = failed("1", "2");

        Report report = bench.admin.redrive(bench.select("1", "2"), operation("op"));

        assertThat(report.done()).isEqualTo(2);
        assertThat(report.repeated()).isFalse();
        assertThat(states()).containsExactly("1 FAILED_RETRYABLE", "2 FAILED_RETRYABLE");
        assertThat(bench.node.work()).extracting(Receipt::kind).containsOnly(Receipt.Kind.STORED);
        mended.set(true);
        assertThat(bench.node.work()).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1", "2");
        assertThat(bench.seen.count(event -> event instanceof InboxEvent.OperationPerformed operationPerformed
                        && operationPerformed.command() == Command.REDRIVE
                        && operationPerformed.done() == 2))
                .isEqualTo(1);
    }

    @Test
    void attemptNumbersGoOnAfterARedrive() {
        AdminBench bench = failed("1");

        bench.admin.redrive(bench.select("1"), operation("op"));
        bench.node.work();
        assertThat(database.one("select attempts || ' ' || failures || ' ' || forgiven from idembox_inbox"))
                .isEqualTo("3 1 2");
        bench.node.claim(1, 10);
        clock.advance(Bench.LEASE.plusSeconds(1));
        bench.node.reap();
        mended.set(true);
        bench.node.work();

        assertThat(database.list("select number from idembox_attempt order by number"))
                .containsExactly("1", "2", "3", "4");
        assertThat(database.one("select attempts from idembox_outcome")).isEqualTo("5");
    }

    @Test
    void whatIsToBeTriedLaterIsTriedAtOnce() {
        ConsumerPolicy later = ConsumerPolicy.defaults()
                .retry(RetryPolicy.exponential(5, Duration.ofHours(1), Duration.ofHours(1))
                        .by(RetryBy.INBOX));
        AdminBench bench = bench(later);
        bench.node.store(message("1"));
        bench.node.work();
        assertThat(bench.node.work()).isEmpty();

        bench.admin.redrive(bench.select("1"), operation("op"));

        mended.set(true);
        assertThat(bench.node.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
    }

    @Test
    void whatEndedProcessesRunsAloneAfterARedriveAndIsParkedByOneMore() {
        AdminBench bench = bench(BY_INBOX);
        bench.node.store(message("1"));
        for (int crash = 0; crash < 3; crash++) {
            bench.node.claim(1, 10);
            clock.advance(Bench.LEASE.plusSeconds(1));
            bench.node.reap();
        }
        assertThat(database.one("select status || ' ' || reason from idembox_inbox"))
                .isEqualTo("PARKED CRASH");

        bench.admin.redrive(bench.select("1"), operation("op"));

        List<Lease> claimed = bench.node.claim(2, 10);
        assertThat(claimed).singleElement().matches(Lease::alone);
        clock.advance(Bench.LEASE.plusSeconds(1));
        bench.node.reap();
        assertThat(database.one("select status || ' ' || reason || ' ' || attempts from idembox_inbox"))
                .isEqualTo("PARKED CRASH 4");
        assertThat(database.list("select number from idembox_attempt order by number"))
                .containsExactly("1", "2", "3", "4");
    }

    @Test
    void theSecondOfTwoOperatorsIsRefused() {
        AdminBench bench = failed("1");
        List<MessageRef> seenByBoth = bench.select("1");

        Report first = bench.admin.redrive(seenByBoth, operation("one"));
        Report second = bench.admin.discard(seenByBoth, operation("two"));
        bench.node.work();
        bench.node.work();
        Report third = bench.admin.redrive(seenByBoth, operation("three"));

        assertThat(verdicts(first)).containsExactly(CommandResult.DONE);
        assertThat(verdicts(second)).containsExactly(CommandResult.CHANGED);
        assertThat(states()).containsExactly("1 FAILED_TERMINAL");
        assertThat(verdicts(third))
                .as("failed for good once more: the same state, but not the same row")
                .containsExactly(CommandResult.CHANGED);
    }

    @Test
    void whatIsBeingWorkedOnIsLeftAlone() {
        AdminBench bench = bench(BY_INBOX);
        bench.node.store(message("1"), message("2"));
        List<MessageRef> seen = bench.select("1", "2");
        Lease lease = bench.node.claim(1, 1).get(0);

        Report report = bench.admin.discard(seen, operation("op"));

        assertThat(verdicts(report)).containsExactly(CommandResult.IN_PROGRESS, CommandResult.DONE);
        mended.set(true);
        assertThat(bench.node.work(lease)).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(states()).containsExactly("1 COMPLETED", "2 DISCARDED");
        assertThat(verdicts(bench.admin.discard(seen.subList(0, 1), operation("later"))))
                .containsExactly(CommandResult.GONE);
    }

    @Test
    void whatADeliveryHoldsIsLeftAlone() throws SQLException {
        AdminBench bench = bench(BY_REDELIVERY.recording(Recording.FULL));
        deliver(bench, broken, message("1"));
        List<MessageRef> seen = bench.select("1");

        try (Connection delivery = database.dataSource().getConnection()) {
            delivery.setAutoCommit(false);
            try (PreparedStatement take = delivery.prepareStatement("select 1 from idembox_entry for update")) {
                take.executeQuery();
                assertThat(verdicts(bench.admin.discard(seen, operation("op"))))
                        .containsExactly(CommandResult.IN_PROGRESS);
            } finally {
                delivery.rollback();
            }
        }
        assertThat(verdicts(bench.admin.discard(seen, operation("again")))).containsExactly(CommandResult.DONE);
    }

    @Test
    void aCommandWaitsForClaimsAndNotForLong() throws SQLException {
        AdminBench bench = bench(BY_INBOX);
        bench.node.store(message("1"));
        List<MessageRef> seen = bench.select("1");

        try (Connection claim = database.dataSource().getConnection()) {
            claim.setAutoCommit(false);
            try (PreparedStatement gate = claim.prepareStatement(
                    "select consumer_id from idembox_consumer where name = 'billing' for update")) {
                gate.executeQuery();
                assertThatThrownBy(() -> bench.admin.discard(seen, operation("op")))
                        .isInstanceOf(io.idembox.StoreUnavailableException.class)
                        .hasMessageContaining(
                                "another transaction holds a lock that it needs. Nothing was changed. Call again with the same operation id.");
            } finally {
                claim.rollback();
            }
        }
        assertThat(verdicts(bench.admin.discard(seen, operation("op")))).containsExactly(CommandResult.DONE);
    }

    @Test
    void aRedeliveryDuringARedriveIsAcknowledgedAndTheMessageRunsOnce() {
        AdminBench bench = bench(BY_REDELIVERY);
        deliver(bench, broken, message("1"));
        assertThat(deliver(bench, broken, message("1")))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED);
        assertThat(states()).containsExactly("1 FAILED_TERMINAL");

        bench.admin.redrive(bench.select("1"), operation("op"));
        Receipt before = deliver(bench, DatabaseTest::effect, message("1")).get(0);
        List<Lease> lease = bench.node.claim(1, 10);
        Receipt during = deliver(bench, DatabaseTest::effect, message("1")).get(0);
        mended.set(true);
        lease.forEach(bench.node::work);
        Receipt after = deliver(bench, DatabaseTest::effect, message("1")).get(0);

        assertThat(List.of(before.kind(), during.kind(), after.kind()))
                .containsExactly(Receipt.Kind.STORED, Receipt.Kind.STORED, Receipt.Kind.DUPLICATE);
        assertThat(List.of(before, during, after)).allMatch(Receipt::acknowledges);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void whatOnlyTheBrokerHasCannotBeRedrivenOrParked() {
        AdminBench bench = bench(BY_REDELIVERY);
        deliver(bench, broken, message("1"));
        List<MessageRef> seen = bench.select("1");

        assertThat(verdicts(bench.admin.redrive(seen, operation("redrive")))).containsExactly(CommandResult.NO_BODY);
        assertThat(verdicts(bench.admin.park(seen, operation("park")))).containsExactly(CommandResult.NO_BODY);
        assertThat(verdicts(bench.admin.discard(seen, operation("discard")))).containsExactly(CommandResult.DONE);
        assertThat(verdicts(bench.admin.restore(bench.select("1"), operation("restore"))))
                .containsExactly(CommandResult.NO_BODY);
        assertThat(deliver(bench, DatabaseTest::effect, message("1")))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(effects()).isEmpty();
    }

    @Test
    void whatRedeliveryOwnsIsTheInboxsOnceItIsRedriven() {
        AdminBench bench = bench(BY_REDELIVERY.recording(Recording.FULL));
        deliver(bench, broken, message("1"));

        bench.admin.redrive(bench.select("1"), operation("op"));

        assertThat(deliver(bench, DatabaseTest::effect, message("1")))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.STORED);
        assertThat(bench.node.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        mended.set(true);
        assertThat(bench.node.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
    }

    @Test
    void whatIsDiscardedStaysAsAMarkAndIsNeverRun() {
        AdminBench bench = failed("1");

        bench.admin.discard(bench.select("1"), operation("op"));
        mended.set(true);

        assertThat(deliver(bench, DatabaseTest::effect, message("1")))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(bench.node.store(message("1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(bench.node.work()).isEmpty();
        assertThat(states()).containsExactly("1 DISCARDED");
        assertThat(effects()).isEmpty();
    }

    @Test
    void whatIsRestoredIsParkedAndMayBeRedriven() {
        AdminBench bench = bench(BY_INBOX);
        bench.node.store(message("1"));
        bench.admin.discard(bench.select("1"), operation("discard"));

        bench.admin.restore(bench.select("1"), operation("restore"));

        assertThat(database.one("select status || ' ' || reason || ' ' || error from idembox_inbox"))
                .isEqualTo("PARKED RESTORED It was restored by anna: because restore");
        assertThat(bench.node.store(message("1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.FAILED);
        mended.set(true);
        assertThat(bench.node.work()).isEmpty();
        bench.admin.redrive(bench.select("1"), operation("redrive"));
        assertThat(bench.node.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void whatIsParkedIsNotClaimedAndKeepsItsError() {
        AdminBench bench = bench(BY_INBOX);
        bench.node.store(message("failed"));
        bench.node.work();
        bench.node.store(message("fresh"));

        Report report = bench.admin.park(bench.select("failed", "fresh"), operation("op"));

        assertThat(report.done()).isEqualTo(2);
        mended.set(true);
        clock.advance(Duration.ofDays(1));
        assertThat(bench.node.work()).isEmpty();
        assertThat(database.list("select reason || ' ' || error_class from idembox_inbox order by arrival"))
                .containsExactly("OPERATOR java.lang.IllegalStateException", "OPERATOR OPERATOR");
        assertThat(bench.node.store(message("fresh")))
                .allMatch(receipt -> receipt.kind() == Receipt.Kind.FAILED
                        && receipt.failure().orElseThrow().message().equals("It was parked by anna: because op"));
    }

    @Test
    void aCommandIsForSomeStatesOnly() {
        AdminBench bench = failed("terminal");
        bench.node.store(message("received"));

        assertThat(verdicts(bench.admin.redrive(bench.select("received"), operation("1"))))
                .containsExactly(CommandResult.NOT_APPLICABLE);
        assertThat(verdicts(bench.admin.restore(bench.select("terminal", "received"), operation("2"))))
                .containsOnly(CommandResult.NOT_APPLICABLE);
        bench.admin.park(bench.select("terminal"), operation("3"));
        assertThat(verdicts(bench.admin.park(bench.select("terminal"), operation("4"))))
                .containsExactly(CommandResult.NOT_APPLICABLE);
        bench.admin.discard(bench.select("terminal"), operation("5"));
        assertThat(verdicts(bench.admin.discard(bench.select("terminal"), operation("6"))))
                .containsExactly(CommandResult.NOT_APPLICABLE);
        assertThat(verdicts(bench.admin.redrive(bench.select("terminal"), operation("7"))))
                .containsExactly(CommandResult.NOT_APPLICABLE);
    }

    @Test
    void aConflictingPayloadRunsAsAMessageOfItsOwn() {
        AdminBench bench = bench(BY_INBOX);
        deliver(bench, DatabaseTest::effect, message("1"));
        deliver(bench, DatabaseTest::effect, message("1").payload(Payload.json("[]")));
        assertThat(states()).containsExactly("1 COMPLETED", "1 PARKED");

        bench.admin.redrive(bench.select("1"), operation("op"));
        mended.set(true);
        bench.node.work();

        assertThat(effects()).containsExactly("1", "1");
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(deliver(bench, DatabaseTest::effect, message("1").payload(Payload.json("[]"))))
                .as("still known as the conflict it was")
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.REFUSED);
        assertThat(effects()).hasSize(2);
    }

    @Test
    void aHandlerThatParksAgainIsToldApartFromTheTryBefore() {
        AdminBench bench = new AdminBench(database, clock, BY_INBOX, context -> {
            throw HandlerException.park("attempt " + context.attempt());
        });
        bench.node.store(message("1"));
        bench.node.work();

        bench.admin.redrive(bench.select("1"), operation("op"));
        bench.node.work();

        assertThat(database.one("select status || ' ' || error from idembox_inbox"))
                .isEqualTo("PARKED attempt 2");
    }

    @Test
    void aWideFilterShowsBeforeAnythingIsDone() {
        AdminBench bench = failed("1", "2", "3", "4", "5");

        var preview = bench.admin.preview(
                Filter.of("billing").status(Status.FAILED_TERMINAL).errorClass("java.lang.IllegalStateException"), 2);

        assertThat(preview.messages()).hasSize(2);
        assertThat(preview.matching()).hasToString("5");
        bench.admin.discard(preview.refs(), operation("op"));
        assertThat(database.list("select status from idembox_inbox order by arrival"))
                .containsExactly("DISCARDED", "DISCARDED", "FAILED_TERMINAL", "FAILED_TERMINAL", "FAILED_TERMINAL");
    }

    @Test
    void aCommandTakesSomeDifferentMessagesOfOneConsumer() {
        AdminBench bench = failed("1");
        MessageRef one = bench.select("1").get(0);
        MessageRef other = new MessageRef("mail", one.id(), one.arrival() + 2, one.version());

        for (List<MessageRef> wrong :
                List.of(List.<MessageRef>of(), List.of(one, one), List.of(one, other), List.of(other))) {
            assertThatThrownBy(() -> bench.admin.redrive(wrong, operation("op")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new Operation("op", "anna", " "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reason");
        assertThat(database.count("idembox_operation")).isZero();
        assertThat(states()).containsExactly("1 FAILED_TERMINAL");
    }

    @Test
    void inDirectModeWhatSomebodyRedrivesIsHandledByTheSubscription() {
        Seen seen = new Seen();
        inbox.close();
        inbox = builder().listener(seen).start();
        var billing = inbox.subscribe("billing")
                .policy(BY_REDELIVERY)
                .on("OrderPlaced", Payload.class, (payload, context) -> broken.run(context));
        billing.handle(message("1"));
        billing.handle(message("1"));

        mended.set(true);
        var failed = inbox.admin().preview(Filter.of("billing").status(Status.FAILED_TERMINAL), 10);
        Report report = inbox.admin().redrive(failed.refs(), Operation.of("anna", "the bank is back"));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);

        assertThat(report.done()).isEqualTo(1);
        assertThat(effects()).containsExactly("1");
    }
}
