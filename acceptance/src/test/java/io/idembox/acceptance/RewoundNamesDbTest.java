// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * The database goes back in time while a process runs: failover to a replica that was behind, or a restored backup. The rows
 * of a source or of a consumer that first appeared in that window are gone, and the process has their numbers in memory.
 */
class RewoundNamesDbTest extends DatabaseTest {

    private static final ConsumerPolicy DIRECT = ConsumerPolicy.defaults();
    private static final ConsumerPolicy STORED = ConsumerPolicy.defaults().mode(Mode.STORED);

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Bench process(String node, ConsumerPolicy policy) {
        return new Bench(database, node, clock, seen, policy, DatabaseTest::effect);
    }

    private static Message from(String source, String id) {
        return Message.of(id, "OrderPlaced", "{\"id\":\"" + id + "\"}").from(source);
    }

    /** Everything that was written since the window began is gone; numbers drawn from a sequence are given out again. */
    private void rewind(String... forgotten) {
        database.run("delete from effect");
        for (String table : List.of("ledger", "body", "entry", "outcome", "attempt", "lease", "key")) {
            database.run("delete from idembox_" + table);
        }
        database.run(forgotten);
        if (!database.list("select sequence_name from information_schema.sequences"
                        + " where lower(sequence_name) = 'idembox_number'")
                .isEmpty()) {
            long next = Long.parseLong(database.one(
                    "select 1 + coalesce(max(n), 0) from (select consumer_id as n from idembox_consumer union all"
                            + " select source_id from idembox_source) numbers"));
            database.run("alter sequence idembox_number restart with " + next);
        }
    }

    private static String source(String name) {
        return "delete from idembox_source where name = '" + name + "'";
    }

    private static final String CONSUMER = "delete from idembox_consumer where name = 'billing'";

    private void assertEveryNumberHasAName() {
        assertThat(database.list("select l.source_id from idembox_ledger l where not exists"
                        + " (select 1 from idembox_source s where s.source_id = l.source_id)"))
                .as("source numbers in the ledger without a name")
                .isEmpty();
        assertThat(database.list("select l.consumer_id from idembox_ledger l where not exists"
                        + " (select 1 from idembox_consumer c where c.consumer_id = l.consumer_id)"))
                .as("consumer numbers in the ledger without a name")
                .isEmpty();
    }

    private static List<Receipt.Kind> kinds(List<Receipt> receipts) {
        return receipts.stream().map(Receipt::kind).toList();
    }

    @Test
    void aForgottenSourceIsRecordedUnderANumberThatOtherProcessesFind() {
        Bench survivor = process("survivor", DIRECT);
        survivor.handle(from("/two", "m1"), from("/two", "m2"));
        rewind(source("/two"));

        assertThat(kinds(survivor.handle(from("/two", "m1"), from("/two", "m2"))))
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
        Bench restarted = process("restarted", DIRECT);
        restarted.handle(from("/three", "x"));

        assertThat(kinds(restarted.handle(from("/two", "m1"), from("/two", "m2"))))
                .as("delivered again to a process that started later")
                .containsExactly(Receipt.Kind.DUPLICATE, Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("m1", "m2", "x");
        assertEveryNumberHasAName();
    }

    @Test
    void aForgottenSourceIsFoundOutForASingleMessageToo() {
        Bench survivor = process("survivor", DIRECT);
        survivor.handle(from("/two", "m1"));
        rewind(source("/two"));

        assertThat(kinds(survivor.handle(from("/two", "m1")))).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("m1");
        assertEveryNumberHasAName();
    }

    @Test
    void anotherSourceNeverGetsTheNumberOfAForgottenOne() {
        Bench survivor = process("survivor", DIRECT);
        survivor.handle(from("/two", "m1"));
        rewind(source("/two"));
        survivor.handle(from("/two", "m1"));

        assertThat(kinds(survivor.handle(from("/four", "m1"))))
                .as("the same id of another source is another message")
                .containsExactly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("m1", "m1");
    }

    @Test
    void aNumberThatNowBelongsToAnotherSourceIsNotUsed() {
        Bench survivor = process("survivor", DIRECT);
        survivor.handle(from("/two", "m1"));
        String number = database.one("select source_id from idembox_source where name = '/two'");
        rewind(source("/two"), "insert into idembox_source (name, source_id) values ('/thief', " + number + ")");

        survivor.handle(from("/two", "m1"));

        Bench restarted = process("restarted", DIRECT);
        assertThat(kinds(restarted.handle(from("/thief", "m1")))).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(kinds(restarted.handle(from("/two", "m1")))).containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("m1", "m1");
    }

    @Test
    void whatIsStoredForAForgottenSourceIsHandled() {
        Bench survivor = process("survivor", STORED);
        survivor.store(from("/two", "m1"), from("/two", "m2"));
        rewind(source("/two"));

        assertThat(kinds(survivor.store(from("/two", "m1"), from("/two", "m2"))))
                .containsExactly(Receipt.Kind.STORED, Receipt.Kind.STORED);
        survivor.work();

        assertThat(effects()).containsExactly("m1", "m2");
        assertThat(database.list("select status from idembox_inbox where source = '/two'"))
                .containsExactly("COMPLETED", "COMPLETED");
        assertEveryNumberHasAName();
    }

    @Test
    void whatIsRecordedRowByRowForAForgottenSourceHasItsNumberAgain() throws Exception {
        Bench survivor = process("survivor", DIRECT);
        survivor.handle(message("m0"), from("/two", "m1"));
        rewind(source("/two"));
        try (var rival = database.dataSource().getConnection()) {
            rival.setAutoCommit(false);
            inbox.handle(rival, "billing", message("held"), context -> {});

            List<Receipt> receipts = survivor.handle(message("held"), from("/two", "m1"));

            rival.rollback();
            assertThat(kinds(receipts)).containsExactly(Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
        }
        assertEveryNumberHasAName();
    }

    @Test
    void aTransactionOfTheApplicationRecordsNothingUnderAForgottenNumber() throws Exception {
        inbox.handle("billing", from("/two", "m1"), DatabaseTest::effect);
        rewind(source("/two"));
        for (int delivery = 1; delivery <= 2; delivery++) {
            try (var own = database.dataSource().getConnection()) {
                own.setAutoCommit(false);
                inbox.handle(own, "billing", from("/two", "m1"), DatabaseTest::effect);
                own.commit();
            } catch (io.idembox.StoreUnavailableException once) {
                assertThat(delivery).as("the first one has to roll back").isEqualTo(1);
            }
        }
        assertThat(effects()).containsExactly("m1");
        assertEveryNumberHasAName();
    }

    @Test
    void aForgottenConsumerKeepsItsNumberSoThatARestartFindsWhatItDid() {
        Bench survivor = process("survivor", DIRECT);
        survivor.handle(message("m1"));
        rewind(CONSUMER, source("/orders"));

        survivor.handle(message("m1"));
        try (var other = builder().consumer("other", DIRECT).start()) {
            other.handle("other", from("/others", "x"), context -> {});
        }
        Bench restarted = process("restarted", DIRECT);

        assertThat(kinds(restarted.handle(message("m1")))).containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("m1");
        assertEveryNumberHasAName();
    }

    @Test
    void whatIsStoredForAForgottenConsumerIsHandled() {
        Bench survivor = process("survivor", STORED);
        survivor.store(message("m1"));
        rewind(CONSUMER);

        survivor.store(message("m1"));
        survivor.work();

        assertThat(effects()).containsExactly("m1");
        assertThat(database.list("select consumer from idembox_inbox")).containsExactly("billing");
    }

    @Test
    void aConsumerWhoseNumberIsTakenRecordsNothingUntilItIsStartedAgain() {
        Bench survivor = process("survivor", DIRECT);
        survivor.handle(message("m1"));
        String number = database.one("select consumer_id from idembox_consumer where name = 'billing'");
        rewind(
                CONSUMER,
                "insert into idembox_consumer (name, consumer_id, alias) values ('thief', " + number + ", false)");

        assertThat(kinds(survivor.handle(message("m1")))).containsExactly(Receipt.Kind.BUSY);
        assertThat(database.count("idembox_ledger")).isZero();
        assertThat(effects()).isEmpty();

        Bench restarted = process("restarted", DIRECT);
        assertThat(kinds(restarted.handle(message("m1")))).containsExactly(Receipt.Kind.COMPLETED);
    }

    @Test
    void aConsumerWhoseNumberIsTakenClaimsNothingOfTheOther() {
        Assumptions.assumeTrue(isPostgres(), "on H2 there is one process");
        Bench survivor = process("survivor", STORED);
        survivor.store(message("m1"));
        String number = database.one("select consumer_id from idembox_consumer where name = 'billing'");
        rewind(
                CONSUMER,
                "insert into idembox_consumer (name, consumer_id, alias) values ('thief', " + number + ", false)");
        try (var thief = builder().consumer("thief", STORED).start()) {
            thief.store("thief", message("m1"));
        }

        assertThat(survivor.claim(1, 10)).isEmpty();
    }

    @Test
    void whatAHandlerSendsAfterTheRewindIsPublished() {
        Letterbox letters = new Letterbox();
        try (var node = builder()
                .consumer("senders", DIRECT)
                .outbox("orders", io.idembox.policy.OutboxPolicy.defaults())
                .listener(seen)
                .start()) {
            node.handle("senders", from("/two", "m0"), context -> send(context, "s0"));
            rewind(source("/sender"), "delete from idembox_consumer where name = 'outbox/orders'");

            Receipt receipt = node.handle("senders", from("/two", "m1"), context -> send(context, "s1"));

            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
            assertEveryNumberHasAName();
            node.outbox().relay(letters, "orders");
            letters.await(1);
        }
    }

    private static void send(HandlerContext context, String id) {
        context.outbox().send("orders", Message.of(id, "Sent", "{}").from("/sender"));
    }

    @Test
    void aFailureIsSettledUnderTheNewNumber() {
        ConsumerPolicy byInbox = DIRECT.retry(RetryPolicy.defaults().by(RetryBy.INBOX));
        boolean[] fails = {true};
        Bench survivor = new Bench(database, "survivor", clock, seen, byInbox, context -> {
            if (fails[0]) {
                throw new IllegalStateException("not yet");
            }
            effect(context);
        });
        survivor.handle(from("/two", "m0"));
        rewind(source("/two"));

        assertThat(kinds(survivor.handle(from("/two", "m1")))).containsExactly(Receipt.Kind.STORED);
        fails[0] = false;
        clock.advance(java.time.Duration.ofHours(1));
        survivor.work();

        assertThat(effects()).containsExactly("m1");
        assertEveryNumberHasAName();
    }
}
