// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Outbox;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.testkit.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** An entry whose body or source is missing in the database is parked with the reason, not claimed and given back in a loop. */
class UnreadableEntryDbTest extends DatabaseTest {

    private static final ConsumerPolicy STORED = ConsumerPolicy.defaults().mode(Mode.STORED);

    private final ManualClock clock = ManualClock.create();
    private final Letterbox letters = new Letterbox();
    private final Seen seen = new Seen();

    private AdminBench bench(ConsumerPolicy policy) {
        return new AdminBench(database, clock, policy, DatabaseTest::effect);
    }

    private List<String> states() {
        return database.list("select state || ' ' || coalesce(reason, '-') || ' ' || releases from idembox_entry"
                + " order by arrival");
    }

    @Test
    void anEntryWithoutBodyIsParkedWithAnAttemptAndAnEventAndTheOthersGoOn() {
        AdminBench bench = bench(STORED);
        bench.node.store(message("m1"), message("m2"));
        database.run("delete from idembox_body where arrival = (select min(arrival) from idembox_entry)");

        bench.node.work();

        assertThat(effects()).containsExactly("m2");
        assertThat(states()).containsExactly("PARKED BODY_GONE 0");
        assertThat(bench.node.claim(1, 10)).as("nothing is left to be claimed").isEmpty();
        assertThat(database.list("select error_class from idembox_attempt")).containsExactly("BODY_GONE");
        assertThat(bench.seen.all(InboxEvent.AttemptFailed.class))
                .singleElement()
                .satisfies(told -> assertThat(told.failure().errorClass()).isEqualTo("BODY_GONE"));
        assertThat(database.list("select status || ' ' || reason from idembox_inbox where message_id = 'm1'"))
                .containsExactly("PARKED BODY_GONE");
        assertThat(bench.admin
                        .list(Filter.of(AdminBench.CONSUMER).status(Status.PARKED), Page.first(10))
                        .messages())
                .singleElement()
                .satisfies(known -> assertThat(known.progress().reason()).isEqualTo("BODY_GONE"));
        assertThat(database.count("idembox_body"))
                .as("no body is made up for it")
                .isEqualTo(1);
    }

    @Test
    void anEntryWithoutSourceIsParkedSeenExplainedAndRunAfterItsSourceIsBack() {
        AdminBench bench = bench(STORED);
        bench.node.store(message("m1"));
        String number = database.one("select source_id from idembox_source");
        database.run("delete from idembox_source");
        MessageId shown = new MessageId("(unknown source " + number + ")", "m1");

        bench.node.work();

        assertThat(states()).containsExactly("PARKED SOURCE_GONE 0");
        assertThat(database.list("select source || ' ' || message_id || ' ' || status from idembox_inbox"))
                .containsExactly(shown.source() + " m1 PARKED");
        InboxMessage listed = bench.admin
                .list(Filter.of(AdminBench.CONSUMER), Page.first(10))
                .messages()
                .get(0);
        assertThat(listed.id()).isEqualTo(shown);
        assertThat(bench.admin.find(AdminBench.CONSUMER, shown)).isPresent();
        assertThat(bench.admin.explain(AdminBench.CONSUMER, shown).toString()).contains("idembox_source");

        database.run("insert into idembox_source (name, source_id) values ('/orders', " + number + ")");
        assertThat(AdminBench.verdicts(bench.admin.redrive(bench.select("m1"), AdminBench.operation("source is back"))))
                .containsExactly(CommandResult.DONE);
        bench.node.work();
        assertThat(effects()).containsExactly("m1");
    }

    @Test
    void anEntryWithoutBodyHoldsItsKeyAsEveryParkedOneDoes() {
        AdminBench bench = bench(STORED.ordering(Ordering.HOLD));
        bench.node.store(message("m1").keyed("k"), message("m2").keyed("k"));
        database.run("delete from idembox_body where arrival = (select min(arrival) from idembox_entry)");

        bench.node.work();
        bench.node.work();

        assertThat(effects()).isEmpty();
        assertThat(states()).containsExactly("PARKED BODY_GONE 0", "WAITING - 0");
    }

    @Test
    void anEntryWithoutBodyLetsItsKeyPassWhereParkedOnesDo() {
        AdminBench bench = bench(STORED.ordering(Ordering.SKIP_PARKED));
        bench.node.store(message("m1").keyed("k"), message("m2").keyed("k"));
        database.run("delete from idembox_body where arrival = (select min(arrival) from idembox_entry)");

        bench.node.work();
        bench.node.work();

        assertThat(effects()).containsExactly("m2");
    }

    @Test
    void aReplayedEntryWithoutBodyIsParked() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no replays");
        AdminBench bench = bench(STORED.recording(Recording.FULL));
        bench.node.store(message("m1"));
        bench.node.work();
        database.run(
                "insert into idembox_entry (arrival, consumer_id, generation, failures, crashes, releases, state, owner)"
                        + " select arrival, consumer_id, 1, 0, 0, 0, 'RECEIVED', 'INBOX' from idembox_ledger",
                "delete from idembox_body");

        bench.node.work();

        assertThat(states()).containsExactly("PARKED BODY_GONE 0");
    }

    @Test
    void anOutgoingMessageWithoutBodyIsParkedAndTheNextOneIsPublished() {
        try (Inbox node =
                builder().outbox("orders", RelayBench.policy()).listener(seen).start()) {
            send(node, "o1");
            send(node, "o2");
            database.run("delete from idembox_body where arrival = (select min(arrival) from idembox_entry)");
            node.outbox().relay(letters, "orders");

            letters.await(1);
            seen.await(event -> event instanceof InboxEvent.AttemptFailed, 1, "parked");
        }
        assertThat(letters.ids()).containsExactly("o2");
        assertThat(states()).containsExactly("PARKED BODY_GONE 0");
    }

    @Test
    void anOutgoingMessageWithoutSourceIsParkedAndFoundAndNoSourceIsInventedForIt() {
        try (Inbox node =
                builder().outbox("orders", RelayBench.policy()).listener(seen).start()) {
            send(node, "o1");
            String number = database.one("select source_id from idembox_source where name = '/sender'");
            database.run("delete from idembox_source where name = '/sender'");
            node.outbox().relay(letters, "orders");

            seen.await(event -> event instanceof InboxEvent.AttemptFailed, 1, "parked");

            assertThat(states()).containsExactly("PARKED SOURCE_GONE 0");
            assertThat(database.list("select name from idembox_source")).noneMatch(name -> name.startsWith("(unknown"));
            assertThat(node.admin()
                            .find(Outbox.consumer("orders"), new MessageId("(unknown source " + number + ")", "o1")))
                    .isPresent();
        }
    }

    private static void send(Inbox node, String id) {
        node.handle(
                "senders",
                message(id),
                context -> context.outbox()
                        .send("orders", Message.of(id, "Sent", "{}").from("/sender")));
    }
}
