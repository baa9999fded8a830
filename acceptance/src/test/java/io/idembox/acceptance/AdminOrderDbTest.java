// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.admin.CommandResult;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Report;
import io.idembox.internal.engine.Lease;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Commands keep the order of a key: nobody overtakes, nobody is forgotten, never two are due. */
class AdminOrderDbTest extends DatabaseTest {

    private static final ConsumerPolicy HOLD = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(3, Duration.ofHours(1), Duration.ofHours(1))
                    .by(RetryBy.INBOX));
    private static final ConsumerPolicy SKIP = HOLD.ordering(Ordering.SKIP_PARKED);

    private final ManualClock clock = ManualClock.create();
    private final Set<String> parking = ConcurrentHashMap.newKeySet();

    private final InboxHandler handler = context -> {
        if (parking.contains(context.id().id())) {
            throw HandlerException.park("look at it");
        }
        effect(context);
    };

    private AdminBench bench(ConsumerPolicy policy) {
        return new AdminBench(database, clock, policy, handler);
    }

    private static Message keyed(String id) {
        return message(id).keyed("a");
    }

    private List<String> ran() {
        return database.list("select id from effect");
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by arrival");
    }

    private static List<CommandResult> verdicts(Report report) {
        return report.lines().stream().map(Report.Line::result).toList();
    }

    /** Of three messages of a key the first is parked. */
    private AdminBench parkedFirst(ConsumerPolicy policy) {
        AdminBench bench = bench(policy);
        parking.add("1");
        bench.node.store(keyed("1"), keyed("2"), keyed("3"));
        bench.node.work();
        parking.clear();
        return bench;
    }

    private void workAll(AdminBench bench) {
        for (int i = 0; i < 10 && !bench.node.work().isEmpty(); i++) {
            assertThat(database.one(
                            "select count(*) from idembox_entry where state in ('RECEIVED', 'FAILED_RETRYABLE')"))
                    .isIn("0", "1");
        }
    }

    @Test
    void aRedrivenHeadGoesBeforeThoseItHeld() {
        AdminBench bench = parkedFirst(HOLD);
        assertThat(states()).containsExactly("1 PARKED", "2 WAITING", "3 WAITING");

        bench.admin.redrive(bench.select("1"), operation("op"));

        assertThat(states()).containsExactly("1 RECEIVED", "2 WAITING", "3 WAITING");
        workAll(bench);
        assertThat(ran()).containsExactly("1", "2", "3");
    }

    @Test
    void aDiscardedHeadLetsTheNextOneGoAndNoMore() {
        AdminBench bench = parkedFirst(HOLD);

        bench.admin.discard(bench.select("1"), operation("op"));

        assertThat(states()).containsExactly("1 DISCARDED", "2 RECEIVED", "3 WAITING");
        workAll(bench);
        assertThat(ran()).containsExactly("2", "3");
    }

    @Test
    void whatIsDiscardedInTheMiddleIsSteppedOver() {
        AdminBench bench = bench(HOLD);
        bench.node.store(keyed("1"), keyed("2"), keyed("3"));

        bench.admin.discard(bench.select("2"), operation("op"));

        assertThat(states()).containsExactly("1 RECEIVED", "2 DISCARDED", "3 WAITING");
        workAll(bench);
        assertThat(ran()).containsExactly("1", "3");
    }

    @Test
    void discardingAllOfAKeyLeavesItFree() {
        AdminBench bench = parkedFirst(HOLD);

        bench.admin.discard(bench.select("1", "2", "3"), operation("op"));

        bench.node.store(keyed("4"));
        assertThat(states()).containsExactly("1 DISCARDED", "2 DISCARDED", "3 DISCARDED", "4 RECEIVED");
    }

    @Test
    void aRestoredOneHoldsItsKeyAgain() {
        AdminBench bench = parkedFirst(HOLD);
        bench.admin.discard(bench.select("1"), operation("discard"));

        bench.admin.restore(bench.select("1"), operation("restore"));

        assertThat(states()).containsExactly("1 PARKED", "2 RECEIVED", "3 WAITING");
        bench.node.work();
        assertThat(bench.node.work()).as("2 was due already, 3 is held").isEmpty();
        assertThat(states()).containsExactly("1 PARKED", "2 COMPLETED", "3 WAITING");
        bench.admin.redrive(bench.select("1"), operation("redrive"));
        workAll(bench);
        assertThat(ran()).containsExactly("2", "1", "3");
    }

    @Test
    void parkingTheHeadHoldsTheKey() {
        AdminBench bench = bench(HOLD);
        bench.node.store(keyed("1"), keyed("2"));

        bench.admin.park(bench.select("1"), operation("op"));

        assertThat(states()).containsExactly("1 PARKED", "2 WAITING");
        assertThat(bench.node.work()).isEmpty();
    }

    @Test
    void withSkipParkedAParkedHeadIsPassedAtOnce() {
        AdminBench bench = bench(SKIP);
        bench.node.store(keyed("1"), keyed("2"), keyed("3"));

        bench.admin.park(bench.select("1"), operation("op"));

        assertThat(states()).containsExactly("1 PARKED", "2 RECEIVED", "3 WAITING");
        workAll(bench);
        assertThat(ran()).containsExactly("2", "3");
    }

    @Test
    void withSkipParkedARedrivenOneWaitsForWhoIsAtWorkAndGoesNext() {
        AdminBench bench = parkedFirst(SKIP);
        assertThat(states()).containsExactly("1 PARKED", "2 RECEIVED", "3 WAITING");
        List<Lease> atWork = bench.node.claim(1, 10);

        bench.admin.redrive(bench.select("1"), operation("op"));

        assertThat(states()).containsExactly("1 WAITING", "2 IN_PROGRESS", "3 WAITING");
        assertThat(bench.node.claim(1, 10)).isEmpty();
        atWork.forEach(bench.node::work);
        workAll(bench);
        assertThat(ran()).containsExactly("2", "1", "3");
    }

    @Test
    void withSkipParkedDiscardAndRestoreStopNobody() {
        AdminBench bench = parkedFirst(SKIP);
        bench.admin.discard(bench.select("1"), operation("discard"));
        bench.admin.restore(bench.select("1"), operation("restore"));

        workAll(bench);

        assertThat(ran()).containsExactly("2", "3");
        assertThat(states()).containsExactly("1 PARKED", "2 COMPLETED", "3 COMPLETED");
    }

    @Test
    void tryingAgainAtOnceKeepsThePlaceInTheKey() {
        AdminBench bench = new AdminBench(database, clock, HOLD, context -> {
            if (context.id().id().equals("1") && context.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
            effect(context);
        });
        bench.node.store(keyed("1"), keyed("2"));
        bench.node.work();
        assertThat(states()).containsExactly("1 FAILED_RETRYABLE", "2 WAITING");

        bench.admin.redrive(bench.select("1"), operation("op"));

        assertThat(states()).containsExactly("1 RECEIVED", "2 WAITING");
        workAll(bench);
        assertThat(ran()).containsExactly("1", "2");
    }

    @Test
    void whatEndedProcessesRunsAloneInItsKeyToo() {
        AdminBench bench = bench(HOLD);
        bench.node.store(keyed("1"), keyed("2"), message("other"));
        for (int crash = 0; crash < 3; crash++) {
            bench.node.leases.claim(
                    bench.node.receiver.consumer(),
                    new io.idembox.internal.engine.LeaseStore.Demand(1, 1, Bench.LEASE, 0));
            clock.advance(Bench.LEASE.plusSeconds(1));
            bench.node.reap();
        }
        assertThat(states()).contains("1 PARKED", "2 WAITING");

        bench.admin.redrive(bench.select("1"), operation("op"));

        List<Lease> claimed = bench.node.claim(2, 10);
        assertThat(claimed.stream().filter(Lease::alone)).hasSize(1);
        claimed.forEach(bench.node::work);
        workAll(bench);
        assertThat(ran()).contains("other").containsSubsequence("1", "2");
    }

    @Test
    void keysThatAreBusyAreLeftOutAndTheOthersAreDone() throws SQLException {
        AdminBench bench = bench(HOLD);
        bench.node.store(keyed("1"), message("2").keyed("b"), message("3"));
        List<MessageRef> all = bench.select("1", "2", "3");

        Report report;
        try (Connection delivery = database.dataSource().getConnection()) {
            delivery.setAutoCommit(false);
            try (PreparedStatement lock =
                    delivery.prepareStatement("select 1 from idembox_key where name = 'a' for update")) {
                lock.executeQuery();
                report = bench.admin.discard(all, operation("op"));
            } finally {
                delivery.rollback();
            }
        }

        assertThat(verdicts(report)).containsExactly(CommandResult.KEY_BUSY, CommandResult.DONE, CommandResult.DONE);
        assertThat(states()).containsExactly("1 RECEIVED", "2 DISCARDED", "3 DISCARDED");
    }

    @Test
    void whoDoesNotKnowTheOrderDoesNotTouchIt() {
        AdminBench bench = parkedFirst(SKIP);
        bench.node.store(message("free"));
        InboxAdmin stranger = bench.admin(database, database.dataSource(), clock, Optional.empty());

        Report report = stranger.discard(bench.select("1", "free"), operation("op"));

        assertThat(verdicts(report)).containsExactly(CommandResult.ORDER_UNKNOWN, CommandResult.DONE);
        assertThat(states()).startsWith("1 PARKED");
    }
}
