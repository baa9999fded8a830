// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandleResult;
import io.idembox.Receipt;
import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresServer;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs every example and checks its result. */
class ExamplesDbTest {

    private final DataSource dataSource =
            PostgresServer.shared().freshDatabase().dataSource();

    @Test
    void quickStartChargesOnce() throws SQLException {
        QuickStart.run(dataSource);

        assertThat(Sql.number(dataSource, "select count(*) from charge")).isEqualTo(1);
        assertThat(Sql.rows(dataSource, "select status from idembox_inbox")).containsExactly("COMPLETED");
    }

    @Test
    void typedHandlersParkRetryAndDeduplicate() throws SQLException {
        assertThat(TypedHandlers.run(dataSource))
                .extracting(Receipt::kind)
                .containsExactly(
                        Receipt.Kind.COMPLETED, Receipt.Kind.FAILED, Receipt.Kind.STORED, Receipt.Kind.DUPLICATE);
        assertThat(Sql.number(dataSource, "select cents from account")).isEqualTo(9_900);
    }

    @Test
    void batchHandlersDoItInOneStatement() throws SQLException {
        assertThat(BatchHandlers.run(dataSource)).hasSize(500).allMatch(Receipt::acknowledges);
        assertThat(Sql.number(dataSource, "select count(distinct value) from reading"))
                .isEqualTo(500);
    }

    @Test
    void storedModeKeepsTheOrderOfAnAccount() throws Exception {
        assertThat(StoredMode.run(dataSource)).hasSize(4).containsSubsequence("a1", "a2", "a3");
    }

    @Test
    void anOrderDeliveredTwiceIsChargedOnce(@TempDir Path directory) throws Exception {
        try (KafkaServer kafka = KafkaServer.start(directory)) {
            assertThat(FromKafka.run(dataSource, kafka.bootstrap())).containsExactly("41 5000", "42 5000", "43 5000");
        }
    }

    @Test
    void sequencesRunEveryVersionOnceAndInOrder() throws Exception {
        assertThat(Sequences.run(dataSource))
                .containsExactly(
                        "version 1: COMPLETED",
                        "version 3: STORED",
                        "version 2: COMPLETED",
                        "version 1 again: DUPLICATE",
                        "tshirt 30");
    }

    @Test
    void operatorsRedriveAndDiscard() throws Exception {
        assertThat(Operators.run(dataSource))
                .hasSize(5)
                .contains(
                        "2 redriven, asked again: 2, repeated: true",
                        "1  COMPLETED",
                        "2  COMPLETED",
                        "wrong  DISCARDED")
                .first()
                .asString()
                .contains("Its handler parked it", "Fix the cause, then redrive it");
        assertThat(Sql.rows(dataSource, "select id from booking order by id")).containsExactly("1", "2");
    }

    @Test
    void aCanaryStopsACampaignUntilTheCauseIsFixed() throws Exception {
        assertThat(RedriveMany.run(dataSource))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith("STOPPED after 10 of 500: 10 of the 10 latest messages failed."),
                        second -> assertThat(second).isEqualTo("DONE after 500 of 500"),
                        third -> assertThat(third).isEqualTo("booked: 490"));
    }

    @Test
    @Tag("slow")
    void aTableIsRebuiltWhileMessagesArrive() throws Exception {
        assertThat(RebuildProjectionExample.run(dataSource))
                .hasSize(8)
                .startsWith("would run: 60, effects are left out: true", "replayed: 60 of 60, DONE")
                .endsWith("both agree: true");
    }

    @Test
    void stepsAreNotRepeated() throws Exception {
        assertThat(Steps.run(dataSource))
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo("charged once"),
                        second -> assertThat(second).isEqualTo("the carrier does not answer"),
                        third -> assertThat(third).isEqualTo("reserved  order-42"),
                        fourth -> assertThat(fourth).startsWith("shipped  order-42  receipt-of-"));
    }

    @Test
    void aPaymentWithALostAnswerIsLookedUp() throws Exception {
        assertThat(HttpSenders.run())
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo("Unknown"),
                        second -> assertThat(second).isEqualTo("WasSent[reference=ch_1]"),
                        third -> assertThat(third).isEqualTo("Sent[reference=ch_1]"),
                        fourth -> assertThat(fourth).startsWith("Failed[").contains("was answered 400"),
                        fifth -> assertThat(fifth).isEqualTo("charges: 1"));
    }

    @Test
    @Tag("slow")
    void theSecondServiceHandlesAMessageOnce(@TempDir Path directory) throws Exception {
        DataSource mailing = PostgresServer.shared().freshDatabase().dataSource();
        try (KafkaServer kafka = KafkaServer.start(directory)) {
            assertThat(TwoServices.run(dataSource, mailing, kafka.bootstrap()))
                    .containsExactly("\"order 41\"", "\"order 42\"", "\"order 43\"");
        }
        assertThat(Sql.rows(dataSource, "select order_id from charge order by order_id"))
                .containsExactly("41", "42", "43");
    }

    @Test
    void aPaymentWithAnUnknownResultIsMadeOnce() throws Exception {
        assertThat(Intents.run(dataSource))
                .containsExactly("charges: 1", "UNKNOWN", "billing  COMPLETED", "billing/charge  COMPLETED");
    }

    @Test
    void naturalIdempotencyHandlesDuplicates() throws SQLException {
        assertThat(NaturalIdempotency.run(dataSource))
                .containsExactlyInAnyOrder("bolt costs 300 since version 3", "p1 is ON_ITS_WAY", "labels: 1");
        assertThat(Sql.rows(dataSource, "select convert_from(result, 'UTF8') from idembox_outcome order by arrival"))
                .containsExactly("{\"applied\":true}", "{\"applied\":false}", "{\"applied\":true}");
    }

    @Test
    void aRepositoryThatWritesElsewhereIsFound() throws SQLException {
        assertThat(WritesElsewhere.run(dataSource))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith("billing: insert into charge at io.idembox.examples.QuickStart.charge("),
                        second -> assertThat(second).isEqualTo("FAILED, charges: 2"));
    }

    @Test
    void yourOwnTransactionSeesTheMessageOnce() throws Exception {
        assertThat(YourOwnTransaction.run(dataSource)).containsExactly(HandleResult.FIRST_TIME, HandleResult.DUPLICATE);
        assertThat(Sql.number(dataSource, "select count(*) from charge")).isEqualTo(1);
    }

    @Test
    void identitiesAreChosen() {
        assertThat(Identities.run(dataSource))
                .extracting(Receipt::kind)
                .containsExactly(
                        Receipt.Kind.COMPLETED, Receipt.Kind.DUPLICATE, Receipt.Kind.REFUSED, Receipt.Kind.FAILED);
    }
}
