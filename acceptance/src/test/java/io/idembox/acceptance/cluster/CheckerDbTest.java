// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.Receipt;
import io.idembox.acceptance.programme.Pool;
import io.idembox.event.InboxEvent;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What one process left behind in peace is fine; with one thing changed in the tables it is not, and the right thing is said. */
class CheckerDbTest {

    private static final Options OPTIONS =
            Options.parse(List.of("--messages=400", "--keys=20", "--kills=0", "--pauses=0"));
    private static final Workload WORKLOAD = new Workload(OPTIONS.messages(), OPTIONS.keys(), OPTIONS.seed());
    private static final PostgresDatabase DATABASE = PostgresServer.shared().freshDatabase();

    @BeforeAll
    static void work() throws Exception {
        CountDownLatch settled = new CountDownLatch(OPTIONS.messages() - behindPoison());
        try (HikariDataSource pool = Pool.of(DATABASE.jdbcUrl(), 8);
                Scene scene = new Scene(DATABASE.dataSource().getConnection())) {
            scene.createEffects();
            try (Inbox inbox = Inbox.on(pool)
                    .createSchema()
                    .consumer(ClusterConsumer.CONSUMER, ClusterConsumer.POLICY)
                    .start()) {
                inbox.store(
                        ClusterConsumer.CONSUMER,
                        WORKLOAD.items().stream().map(Workload.Item::message).toList());
            }
            try (Inbox inbox = Inbox.on(pool)
                    .listener(event -> {
                        if (event instanceof InboxEvent.Received received
                                && received.receipt().kind() != Receipt.Kind.STORED) {
                            settled.countDown();
                        }
                    })
                    .start()) {
                ClusterConsumer.sound(inbox);
                assertThat(settled.await(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private static int behindPoison() {
        int behind = 0;
        for (List<Workload.Item> line : WORKLOAD.byKey()) {
            for (Workload.Item item : line) {
                behind += item.fate() == Fate.POISON ? line.size() - 1 - item.sequenceNumber() : 0;
            }
        }
        return behind;
    }

    /** The findings after a change that is undone. */
    private static Findings after(String... changes) throws SQLException {
        try (Connection connection = DATABASE.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String change : changes) {
                assertThat(statement.executeUpdate(change)).as(change).isPositive();
            }
            Findings findings =
                    Checker.check(new Scene(connection), WORKLOAD, OPTIONS).findings();
            connection.rollback();
            return findings;
        }
    }

    /** One that is somewhere in the middle of a key that has no poison. */
    private static Workload.Item any(Fate fate) {
        return WORKLOAD.byKey().stream()
                .filter(line -> line.stream().noneMatch(item -> item.fate() == Fate.POISON))
                .flatMap(line -> line.subList(1, line.size() - 1).stream())
                .filter(item -> item.fate() == fate)
                .findFirst()
                .orElseThrow();
    }

    private static String entryOf(Fate fate) {
        Workload.Item wanted = WORKLOAD.items().stream()
                .filter(item -> item.fate() == fate)
                .findFirst()
                .orElseThrow();
        return arrivalOf(wanted);
    }

    private static String arrivalOf(Workload.Item item) {
        return "arrival = (select arrival from idembox_ledger where id = '\\x00'::bytea || convert_to('" + item.id()
                + "', 'UTF8'))";
    }

    @Test
    void whatWasLeftInPeaceIsFine() throws SQLException {
        Findings findings = after();

        assertThat(findings.areFine()).isTrue();
        assertThat(findings.givenUp).isEqualTo(2);
        assertThat(findings.waiting).isEqualTo(behindPoison()).isPositive();
        assertThat(findings.effects + findings.givenUp + findings.waiting).isEqualTo(OPTIONS.messages());
    }

    @Test
    void anEffectThatIsGoneIsALoss() throws SQLException {
        assertThat(after("delete from effect where id = '" + any(Fate.FINE).id() + "'").lost)
                .isEqualTo(1);
    }

    @Test
    void aMessageThatIsGoneIsALoss() throws SQLException {
        assertThat(after("delete from idembox_ledger where " + arrivalOf(any(Fate.FINE))).lost)
                .isEqualTo(1);
    }

    @Test
    void aWaitingMessageThatIsGoneIsALoss() throws SQLException {
        assertThat(after("delete from idembox_entry where state = 'WAITING'").lost)
                .isEqualTo(behindPoison());
    }

    @Test
    void aSecondEffectIsADouble() throws SQLException {
        assertThat(after("insert into effect (id, message_key, place, process, attempt)"
                                + " select id, message_key, place, process, attempt from effect where id = '"
                                + any(Fate.FINE).id() + "'")
                        .doubled)
                .isEqualTo(1);
    }

    @Test
    void anEffectOfWhatIsNotSettledIsADouble() throws SQLException {
        Workload.Item poison = WORKLOAD.items().stream()
                .filter(item -> item.fate() == Fate.POISON)
                .findFirst()
                .orElseThrow();

        assertThat(after("insert into effect (id, message_key, place, process, attempt) values ('" + poison.id()
                                + "', '" + poison.keyName() + "', " + poison.sequenceNumber() + ", 0, 1)")
                        .doubled)
                .isEqualTo(1);
    }

    @Test
    void effectsTheWrongWayRoundAreOutOfOrder() throws SQLException {
        Workload.Item one = any(Fate.FINE);
        String next =
                WORKLOAD.byKey().get(one.key()).get(one.sequenceNumber() + 1).id();

        assertThat(after("update effect set id = case id when '" + next + "' then '" + one.id() + "' else '" + next
                                + "' end where id in ('" + one.id() + "', '" + next + "')")
                        .outOfOrder)
                .isEqualTo(1);
    }

    @Test
    void whatIsStillToBeDoneIsUnfinishedAndSoIsWhatWaitsForNobody() throws SQLException {
        Findings findings = after("update idembox_entry set state = 'RECEIVED' where state = 'FAILED_TERMINAL'");

        assertThat(findings.unfinished).isEqualTo(2 + behindPoison());
    }

    @Test
    void attemptsThatDoNotFitAreMisjudged() throws SQLException {
        String failedOnce = arrivalOf(any(Fate.FAILS_ONCE));

        assertThat(after("update idembox_outcome set attempts = 1 where " + failedOnce).misjudged)
                .isPositive();
        assertThat(after("update idembox_attempt set error_class = 'java.lang.Error' where " + failedOnce).misjudged)
                .isPositive();
        assertThat(after("update idembox_attempt set number = 2 where " + failedOnce).misjudged)
                .isPositive();
        assertThat(after("update idembox_entry set failures = 2 where " + entryOf(Fate.POISON)).misjudged)
                .isPositive();
    }

    @Test
    void parkedByBadLuckIsCountedAndFineAndParkedOtherwiseIsNot() throws SQLException {
        String park = "update idembox_entry set state = 'PARKED', crashes = 3, failures = 0, reason = '%s' where %s";
        String poison = entryOf(Fate.POISON);

        Findings crash = after(
                park.formatted("CRASH", poison),
                "update idembox_attempt set error_class = 'LeaseExpired' where " + poison);
        Findings other = after(park.formatted("HANDLER", poison));

        assertThat(crash.areFine()).isTrue();
        assertThat(crash.parkedCrash).isEqualTo(1);
        assertThat(other.misjudged).isPositive();
    }
}
