// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.ConsumerStoppedException;
import io.idembox.Inbox;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A statement of the inbox that cannot work stops the consumer with an error; it is not retried as in an outage. */
class BrokenSchemaDbTest extends DatabaseTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.consumer(
                "stored",
                ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .work(WorkPolicy.defaults().workers(1).poll(Duration.ofMillis(20))));
    }

    private long stops() {
        return events.stream()
                .filter(InboxEvent.ConsumerStopped.class::isInstance)
                .count();
    }

    private void awaitStop() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (stops() == 0) {
            assertThat(System.nanoTime() - end)
                    .as("the consumer is stopped in time")
                    .isNegative();
            Thread.onSpinWait();
        }
    }

    @Test
    void directConsumerWhoseLedgerIsGoneIsStoppedWithTheAnswerOfTheDatabase() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        database.run("alter table idembox_ledger rename to elsewhere");

        assertThatThrownBy(() -> inbox.handle("billing", message("2"), DatabaseTest::effect))
                .isInstanceOf(ConsumerStoppedException.class)
                .hasMessageContaining("Consumer billing is stopped")
                .hasMessageContaining(isPostgres() ? "42P01" : "42S0")
                .satisfies(thrown -> assertThat(thrown.getMessage()).containsIgnoringCase("idembox_ledger"))
                .hasMessageContaining("start the inbox again");
        assertThatThrownBy(() -> inbox.handle("billing", message("2"), DatabaseTest::effect))
                .isInstanceOf(ConsumerStoppedException.class);
        assertThat(stops()).isEqualTo(1);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void deliveriesOfAStoppedConsumerAreNeitherAcknowledgedNorReleased() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        database.run("alter table idembox_ledger rename to elsewhere");
        AtomicInteger answers = new AtomicInteger();
        Delivery delivery = new Delivery() {
            @Override
            public io.idembox.Message message() {
                return DatabaseTest.message("2");
            }

            @Override
            public void acknowledge() {
                answers.incrementAndGet();
            }

            @Override
            public void release(Duration after) {
                answers.incrementAndGet();
            }
        };

        assertThatThrownBy(() -> inbox.subscribe("billing")
                        .on("OrderPlaced", Payload.class, (payload, context) -> effect(context))
                        .receive(List.of(delivery)))
                .isInstanceOf(ConsumerStoppedException.class);
        assertThat(answers).hasValue(0);
    }

    @Test
    void consumerGoesOnAfterTheTableIsBackAndTheInboxWasStartedAgain() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        database.run("alter table idembox_ledger rename to elsewhere");
        assertThatThrownBy(() -> inbox.handle("billing", message("2"), DatabaseTest::effect))
                .isInstanceOf(ConsumerStoppedException.class);
        database.run("alter table elsewhere rename to idembox_ledger");

        inbox.close();
        inbox = configure(builder()).start();

        assertThat(inbox.handle("billing", message("2"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(inbox.handle("billing", message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.DUPLICATE);
    }

    @Test
    void workersWhoseLeaseTableIsGoneAreStopped() {
        inbox.subscribe("stored")
                .on("OrderPlaced", Payload.class, (payload, context) -> effect(context))
                .start();
        inbox.store("stored", message("1"));
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (effects().isEmpty() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }

        database.run("alter table idembox_lease rename to elsewhere");
        awaitStop();

        assertThatThrownBy(() -> inbox.store("stored", message("2")))
                .isInstanceOf(ConsumerStoppedException.class)
                .hasMessageContaining("is stopped");
    }

    @Test
    void statementThatIsNotSupportedIsNotTakenForALostConnection() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no such trigger");
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        // HikariCP closes a connection on this SQLState, so that it looks lost.
        database.run(
                "create function refuse() returns trigger language plpgsql as"
                        + " $$ begin raise exception 'functions must not be VOLATILE' using errcode = '0A000'; end $$",
                "create trigger refuse before insert on idembox_ledger for each row execute function refuse()");

        assertThatThrownBy(() -> inbox.handle("billing", message("2"), DatabaseTest::effect))
                .isInstanceOf(ConsumerStoppedException.class)
                .hasMessageContaining("0A000")
                .hasMessageContaining("functions must not be VOLATILE");
    }

    @Test
    void statementOfAHandlerThatCannotWorkFailsItsMessageOnly() {
        Receipt receipt = inbox.handle(
                "billing", message("1"), context -> execute(context, "insert into nothing_there values (1)"));

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(inbox.handle("billing", message("2"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(stops()).isZero();
    }
}
