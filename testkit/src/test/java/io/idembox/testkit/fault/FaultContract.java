// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.spi.Delivery;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The effect of injected faults on the process, the server and the data, on every database. */
abstract class FaultContract {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private DataSource database;
    private FaultyDataSource process;

    abstract DataSource open() throws Exception;

    abstract boolean isPostgres();

    @BeforeEach
    void start() throws Exception {
        database = open();
        run("create table effect (id varchar(100) not null)");
        process = FaultyDataSource.around(database);
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private int effects() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from effect")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    /** Steps: 1 connect, 2 insert, 3 commit. */
    private static void insertAndCommit(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("insert into effect (id) values ('secret')")) {
                insert.executeUpdate();
            }
            connection.commit();
        }
    }

    private static String stateOf(Throwable thrown) {
        return ((SQLException) thrown).getSQLState();
    }

    @Test
    void stepsAreNumberedAndShowNoValues() throws SQLException {
        process.record();
        insertAndCommit(process);

        assertThat(process.steps()).extracting(Step::number).containsExactly(1, 2, 3);
        assertThat(process.steps())
                .extracting(Step::kind)
                .containsExactly(Step.Kind.CONNECT, Step.Kind.EXECUTE, Step.Kind.COMMIT);
        assertThat(process.steps())
                .extracting(Step::what)
                .containsExactly("connect", "insert into effect id values", "commit");
        assertThat(process.steps()).extracting(Step::commits).containsExactly(false, false, true);
        assertThat(process.steps()).allMatch(step -> step.site().startsWith("caller FaultContract.insertAndCommit:"));
    }

    @Test
    void stepsAreNotCountedBeforeRecording() throws SQLException {
        insertAndCommit(process);

        assertThat(process.steps()).isEmpty();
        assertThat(process.faultStep()).isEmpty();
    }

    @Test
    void crashBeforeTheCommitLeavesNothing() throws SQLException {
        process.inject(FaultPlan.before(3, Fault.GONE));

        assertThatThrownBy(() -> insertAndCommit(process)).isInstanceOf(ProcessGone.class);

        assertThat(effects()).isZero();
        assertThat(process.isCrashed()).isTrue();
        assertThat(process.faultStep())
                .hasValueSatisfying(step -> assertThat(step.kind()).isEqualTo(Step.Kind.COMMIT));
        assertThatThrownBy(process::getConnection).isInstanceOf(ProcessGone.class);
        assertThatThrownBy(() -> process.callBroker("acknowledge", () -> {})).isInstanceOf(ProcessGone.class);
    }

    @Test
    void crashAfterTheCommitLeavesTheCommit() throws SQLException {
        process.inject(FaultPlan.after(3, Fault.GONE));

        assertThatThrownBy(() -> insertAndCommit(process)).isInstanceOf(ProcessGone.class);

        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aCrashedProcessHoldsNoLocks() throws SQLException {
        run("create table pair (id int primary key, note varchar(10))");
        try (Connection other = process.getConnection()) {
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("insert into pair values (1, 'first')");
            }
            process.crash();

            run("insert into pair values (1, 'second')");

            assertThatThrownBy(other::commit).isInstanceOf(ProcessGone.class);
        }
    }

    @Test
    void aLostConnectionRollsBackAndTheProcessContinues() throws SQLException {
        process.inject(FaultPlan.after(2, Fault.CONNECTION_LOST));

        assertThatThrownBy(() -> insertAndCommit(process))
                .satisfies(thrown -> assertThat(stateOf(thrown)).isEqualTo("08006"));
        assertThat(effects()).isZero();

        insertAndCommit(process);
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aConnectionLostAfterTheCommitHidesItsAnswer() throws SQLException {
        process.inject(FaultPlan.after(3, Fault.CONNECTION_LOST));

        assertThatThrownBy(() -> insertAndCommit(process))
                .satisfies(thrown -> assertThat(stateOf(thrown)).isEqualTo("08006"));

        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aLostConnectionAnswersNothingAnyMore() throws SQLException {
        process.inject(FaultPlan.before(2, Fault.CONNECTION_LOST));

        Connection connection = process.getConnection();
        assertThatThrownBy(() -> connection.prepareStatement("select 1").execute())
                .isInstanceOf(SQLException.class);

        assertThatThrownBy(connection::rollback)
                .satisfies(thrown -> assertThat(stateOf(thrown)).isEqualTo("08003"));
        assertThat(connection.isClosed()).isTrue();
        connection.close();
    }

    @Test
    void databaseErrorsCarryTheirStateAndAbortTheTransaction() throws SQLException {
        for (String state : Fault.SQL_STATES) {
            for (FaultPlan plan : List.of(
                    FaultPlan.before(2, Fault.sqlError(state)),
                    FaultPlan.after(2, Fault.sqlError(state)),
                    FaultPlan.before(3, Fault.sqlError(state)),
                    FaultPlan.before(3, Fault.commitRefused(state)))) {
                process.inject(plan);

                assertThatThrownBy(() -> insertAndCommit(process))
                        .as(plan.toString())
                        .satisfies(thrown -> assertThat(stateOf(thrown)).isEqualTo(state));
                assertThat(effects()).as(plan.toString()).isZero();
            }
        }
    }

    @Test
    void aSwallowedErrorStillAbortsTheTransaction() throws SQLException {
        process.inject(FaultPlan.before(3, Fault.sqlError("57014")));

        try (Connection connection = process.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("insert into effect (id) values ('1')");
                assertThatThrownBy(() -> statement.execute("select 1")).isInstanceOf(SQLException.class);
            }
            connection.commit();
        }

        assertThat(effects()).isEqualTo(isPostgres() ? 0 : 1);
    }

    @Test
    void switchingAutoCommitOnIsACommitWhenSomethingIsOpen() throws SQLException {
        process.record();
        try (Connection connection = process.getConnection()) {
            connection.setAutoCommit(false);
            connection.setAutoCommit(true);
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("insert into effect (id) values ('1')");
            }
            connection.setAutoCommit(true);
        }

        assertThat(process.steps())
                .extracting(Step::what)
                .containsExactly("connect", "insert into effect id values", "setAutoCommit");
    }

    @Test
    void aPausedProcessWaitsUntilTheTaskHasEnded() throws SQLException {
        AtomicInteger seen = new AtomicInteger(-1);
        process.inject(FaultPlan.before(3, Fault.PAUSED), () -> seen.set(unchecked(this::effects)), LIMIT);

        insertAndCommit(process);

        assertThat(process.awaitPauseTask()).isTrue();
        assertThat(seen).hasValue(0);
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aPauseEndsWhenTheTaskWaitsForTheProcess() throws SQLException {
        run("create table pair (id int primary key)");
        process.inject(
                FaultPlan.after(2, Fault.PAUSED),
                () -> unchecked(() -> {
                    try (Connection connection = database.getConnection();
                            Statement statement = connection.createStatement()) {
                        if (!isPostgres()) {
                            statement.execute("set lock_timeout 20000");
                        }
                        return statement.executeUpdate("insert into pair values (1)");
                    } catch (SQLException duplicate) {
                        return 0;
                    }
                }),
                Duration.ofMillis(300));

        try (Connection connection = process.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("insert into pair values (1)");
            }
            connection.commit();
        }

        assertThat(process.awaitPauseTask()).isFalse();
    }

    private interface Asking {
        int ask() throws SQLException;
    }

    private static int unchecked(Asking asking) {
        try {
            return asking.ask();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    @Test
    void aBrokerCallIsAStepThatCanFailBeforeAndAfter() {
        List<String> told = new ArrayList<>();
        Delivery delivery = process.delivery(new Delivery() {
            @Override
            public Message message() {
                return Message.of("1", "T", "{}");
            }

            @Override
            public void acknowledge() {
                told.add("acknowledge");
            }

            @Override
            public void release(Duration notBefore) {
                told.add("release");
            }
        });

        process.inject(FaultPlan.before(1, Fault.CONNECTION_LOST), FaultPlan.after(2, Fault.CONNECTION_LOST));

        assertThatThrownBy(delivery::acknowledge).isInstanceOf(UncheckedIOException.class);
        assertThat(told).isEmpty();
        assertThatThrownBy(delivery::acknowledge).isInstanceOf(UncheckedIOException.class);
        assertThat(told).containsExactly("acknowledge");
        delivery.release(Duration.ZERO);
        assertThat(process.steps()).extracting(Step::kind).containsOnly(Step.Kind.ACKNOWLEDGE);
    }

    @Test
    void theStepsOfAnInboxNameItsLinesAndTheHandler() {
        InboxHandler handler = context -> {
            try (PreparedStatement insert =
                    context.connection().prepareStatement("insert into effect (id) values (?)")) {
                insert.setString(1, context.id().id());
                insert.executeUpdate();
            }
        };
        try (Inbox inbox = Inbox.on(process).createSchema().start()) {
            List<Step> steps =
                    process.record(() -> assertThat(inbox.handle("billing", Message.of("1", "T", "{}"), handler)
                                    .kind())
                            .isEqualTo(Receipt.Kind.COMPLETED));

            assertThat(steps).filteredOn(Step::byHandler).singleElement().satisfies(step -> {
                assertThat(step.what()).isEqualTo("insert into effect id values");
                assertThat(step.site()).contains("FaultContract.").contains(" < HandlerRunner.run:");
            });
            assertThat(steps)
                    .filteredOn(step -> step.kind() == Step.Kind.COMMIT)
                    .singleElement()
                    .satisfies(step -> assertThat(step.site()).contains("Transaction.proveThenCommit:"));
            assertThat(steps).noneMatch(step -> step.site().startsWith("caller"));
        }
    }

    @Test
    void anInboxAnswersBusyWhenTheAnswerOfItsCommitIsLost() throws SQLException {
        InboxHandler handler = context -> {
            try (Statement statement = context.connection().createStatement()) {
                statement.execute("insert into effect (id) values ('1')");
            }
        };
        try (Inbox inbox = Inbox.on(process).createSchema().start()) {
            Message message = Message.of("1", "T", "{}");
            inbox.handle("billing", Message.of("0", "T", "{}"), context -> {});
            int commit =
                    process.record(() -> inbox.handle("billing", Message.of("00", "T", "{}"), context -> {})).stream()
                            .filter(step -> step.kind() == Step.Kind.COMMIT)
                            .findFirst()
                            .orElseThrow()
                            .number();
            // The handler's statement adds one step.
            process.inject(FaultPlan.after(commit + 1, Fault.CONNECTION_LOST));

            assertThat(inbox.handle("billing", message, handler).kind()).isEqualTo(Receipt.Kind.BUSY);
            assertThat(inbox.handle("billing", message, handler).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        }
        assertThat(effects()).isEqualTo(1);
    }
}
