// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.operation;
import static io.idembox.acceptance.AdminBench.verdicts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.CommandResult;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** One operation id is one decision: asked again it answers, and changes nothing. */
class AdminOperationDbTest extends DatabaseTest {

    private static final ConsumerPolicy TWICE = ConsumerPolicy.defaults()
            .retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();

    private AdminBench failed(String... ids) {
        return new AdminBench(database, clock, TWICE, context -> {
                    throw new IllegalStateException("the bank is closed");
                })
                .failed(ids);
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by arrival");
    }

    @Test
    void theSameOperationAgainChangesNothingAndAnswersTheSame() {
        AdminBench bench = failed("1", "2");
        List<MessageRef> both = bench.select("1", "2");
        List<MessageRef> stale = List.of(
                both.get(0),
                new MessageRef("billing", both.get(1).id(), both.get(1).arrival(), "as it was some time ago"));
        Report first = bench.admin.redrive(stale, operation("op"));
        bench.node.work();
        bench.node.work();
        assertThat(states()).containsExactly("1 FAILED_TERMINAL", "2 FAILED_TERMINAL");

        Report again = bench.admin.redrive(stale, new Operation("op", "bert", "did it work?"));

        assertThat(again.repeated()).isTrue();
        assertThat(again.lines()).isEqualTo(first.lines());
        assertThat(verdicts(again)).containsExactly(CommandResult.DONE, CommandResult.CHANGED);
        assertThat(again.operation()).isEqualTo(first.operation());
        assertThat(again.at()).isEqualTo(first.at());
        assertThat(states()).containsExactly("1 FAILED_TERMINAL", "2 FAILED_TERMINAL");
        assertThat(database.one("select kind || ' ' || by_whom || ' ' || reason || ' ' || asked || ' ' || done"
                        + " from idembox_operation"))
                .isEqualTo("REDRIVE anna because op 2 1");
    }

    @Test
    void theSameOperationWhileItIsUnderWayWaitsForItAndIsNoAnswerOfItsOwn() throws SQLException {
        AdminBench bench = failed("1");
        List<MessageRef> seen = bench.select("1");

        try (Connection underWay = database.dataSource().getConnection()) {
            underWay.setAutoCommit(false);
            try (PreparedStatement insert = underWay.prepareStatement(
                    "insert into idembox_operation (operation_id, kind, consumer_id, by_whom, reason, given_at, asked, done,"
                            + " arrivals, verdicts, states) select 'op', 'REDRIVE', 1, 'anna', 'why', current_timestamp, 0, 0,"
                            + " l.arrivals, '', '' from (select array_agg(arrival) as arrivals from idembox_entry) l")) {
                assertThat(insert.executeUpdate()).isEqualTo(1);
                assertThatThrownBy(() -> bench.admin.redrive(seen, operation("op")))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining(
                                "another transaction holds a lock that it needs. Nothing was changed. Call again with the same operation id.");
            } finally {
                underWay.rollback();
            }
        }

        assertThat(database.count("idembox_operation")).isZero();
        assertThat(verdicts(bench.admin.redrive(seen, operation("op")))).containsExactly(CommandResult.DONE);
    }

    @Test
    void withoutAConnectionItSaysWhatToDoAndNothingOfDeliveries() {
        AdminBench bench = failed("1");
        List<MessageRef> seen = bench.select("1");
        AtomicInteger connections = new AtomicInteger(1);
        InboxAdmin admin = bench.admin(database, scarce(connections), clock, Optional.of(TWICE));

        assertThatThrownBy(() -> admin.redrive(seen, operation("op")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        "Operation op on consumer billing: The database did not open a connection (SQLState 08001)."
                                + " Nothing was changed, and no message was acknowledged. Call again with the same operation id.");
        connections.set(1);
        assertThatThrownBy(() -> admin.find("billing", seen.get(0).id()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Nothing was changed")
                .hasMessageNotContaining("delivered again");
        connections.set(100);
        assertThat(verdicts(admin.redrive(seen, operation("op")))).containsExactly(CommandResult.DONE);
    }

    /** So many connections, and then none. */
    private DataSource scarce(AtomicInteger connections) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("getConnection") && connections.getAndDecrement() < 1) {
                        throw new SQLException("connection refused", "08001");
                    }
                    return method.invoke(database.dataSource(), args);
                });
    }

    @Test
    void anOperationIdIsForOneDecision() {
        AdminBench bench = failed("1", "2");
        bench.admin.redrive(bench.select("1"), operation("op"));

        assertThatThrownBy(() -> bench.admin.discard(bench.select("1"), operation("op")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("op was already used by anna")
                .hasMessageContaining("Nothing was changed");
        assertThatThrownBy(() -> bench.admin.redrive(bench.select("2"), operation("op")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(states()).containsExactly("1 FAILED_RETRYABLE", "2 FAILED_TERMINAL");
    }

    /** The step would be taken for done. */
    @Test
    void theNameOfAStepOfACampaignIsNoOperationId() {
        AdminBench bench = failed("1");

        assertThatThrownBy(() -> bench.admin.redrive(bench.select("1"), operation("again#1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "An operation id must not contain #, which is reserved for steps of campaigns; was again#1");
        assertThatThrownBy(() -> bench.admin.pause("billing", operation("again#1")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(states()).containsExactly("1 FAILED_TERMINAL");
        assertThat(database.count("idembox_operation")).isZero();
    }
}
