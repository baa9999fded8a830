// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.DatabaseTest.effect;
import static io.idembox.acceptance.DatabaseTest.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.acceptance.Logins.Role;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Preview;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Replays;
import io.idembox.admin.Status;
import io.idembox.audit.AuditEntry;
import io.idembox.intent.SendResult;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.Retention;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The shipped roles: what each of them can do. {@link RoleRefusalsDbTest} has what they cannot do. */
class RolesDbTest {

    private static final ConsumerPolicy STORED = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(3, Duration.ofMillis(1), Duration.ofMillis(1))
                    .by(RetryBy.INBOX));

    private static final Logins LOGINS = new Logins();

    private static void park(HandlerContext ctx) {
        throw HandlerException.park("look at it for " + ctx.id().id());
    }

    private static List<String> statuses(String consumer) {
        return LOGINS.list(
                "select status from idembox_inbox where consumer = '" + consumer + "' order by arrival, message_id");
    }

    @Test
    void anApplicationReceivesFailsParksAndTakesBackInDirectMode() {
        try (Inbox app = Inbox.on(LOGINS.as(Role.APP))
                .consumer("direct", ConsumerPolicy.defaults())
                .start()) {
            assertThat(app.handle("direct", message("1"), ctx -> {
                                effect(ctx, "direct");
                                ctx.result("{}");
                            })
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(app.handle("direct", message("1"), DatabaseTest::effect).kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
            assertThat(app.handle("direct", message("1").payload(Payload.json("[]")), DatabaseTest::effect)
                            .kind())
                    .as("a conflict is kept")
                    .isEqualTo(Receipt.Kind.REFUSED);
            List<Message> batch = List.of(
                    message("2").keyed("a"),
                    message("3").keyed("a"),
                    message("4").keyed("b"));
            List<Receipt> behind = app.handleAll("direct", batch, ctx -> {
                if (ctx.id().id().equals("2")) {
                    throw new IllegalStateException("not now");
                }
                effect(ctx, "direct");
            });
            assertThat(behind)
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
            assertThat(LOGINS.list("select message_id from idembox_inbox where consumer = 'direct'"))
                    .doesNotContain("3");
            assertThat(app.handle("direct", message("2").keyed("a"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
            app.handle("direct", message("5"), RolesDbTest::park);
        }
        assertThat(statuses("direct")).contains("COMPLETED", "PARKED");
    }

    @Test
    void anApplicationStoresWorksRetriesSendsAndIntends() {
        Seen seen = new Seen();
        Letterbox letters = new Letterbox();
        try (Inbox app = Inbox.on(LOGINS.as(Role.APP))
                .consumer("stored", STORED)
                .outbox("receipts")
                .listener(seen)
                .start()) {
            app.outbox().relay(letters, "receipts");
            var stored = app.subscribe("stored")
                    .intent("charge", String.class, intent -> SendResult.sent("ch_1"))
                    .on("OrderPlaced", String.class, (order, ctx) -> {
                        ctx.step("once", () -> "{}");
                        if (ctx.attempt() == 1) {
                            throw new IllegalStateException("not now");
                        }
                        effect(ctx, "stored");
                        ctx.intend("charge", "{}");
                        ctx.outbox()
                                .send(
                                        "receipts",
                                        Message.of(ctx.id().id(), "Receipt", "{}")
                                                .keyed("a"));
                    });
            app.store("stored", List.of(message("1").keyed("a"), message("2").keyed("a"), message("3")));
            stored.start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 3);
            letters.await(3);
        }
        assertThat(statuses("stored")).containsOnly("COMPLETED");
        assertThat(LOGINS.list("select id from effect where note = 'stored' order by id"))
                .containsExactly("1", "2", "3");
    }

    /** What it is not allowed to forget, it leaves to somebody else, and goes on. */
    @Test
    void anApplicationForgetsNothingAndTheJanitorDoes() throws Exception {
        ConsumerPolicy brief = ConsumerPolicy.defaults().retention(Retention.of(Duration.ofMillis(1)));
        try (Inbox app = Inbox.on(LOGINS.as(Role.APP)).consumer("brief", brief).start()) {
            app.handle("brief", message("1"), ctx -> ctx.result("{}"));
            app.handle("brief", message("2"), RolesDbTest::park);
            Backroom.tidyUp(app);
        }
        assertThat(statuses("brief")).containsExactly("COMPLETED", "PARKED");

        try (Inbox janitor =
                Inbox.on(LOGINS.as(Role.JANITOR)).consumer("brief", brief).start()) {
            janitor.runMaintenance("brief");
            Backroom.tidyUp(janitor);
            planned("brief", Duration.ofDays(31));
            Logins.run(
                    LOGINS.superuser(),
                    "update idembox_entry set state = 'DISCARDED' where consumer_id ="
                            + " (select consumer_id from idembox_consumer where name = 'brief')");
            Backroom.tidyUp(janitor);
        }
        assertThat(statuses("brief")).isEmpty();
        assertThat(LOGINS.list("select campaign_id from idembox_campaign where campaign_id = 'plan of brief'"))
                .isEmpty();
    }

    /** Somebody planned something that long ago. */
    private static void planned(String consumer, Duration ago) {
        try (Inbox operator = Inbox.on(LOGINS.as(Role.OPERATOR)).start()) {
            operator.admin()
                    .campaigns()
                    .plan(
                            Command.DISCARD,
                            Filter.of(consumer),
                            CampaignOptions.defaults(),
                            new Operation("plan of " + consumer, "anna", "perhaps"));
        }
        Logins.run(
                LOGINS.superuser(),
                "update idembox_campaign set changed_at = changed_at - interval '" + ago.toDays()
                        + " days' where campaign_id = 'plan of " + consumer + "'");
    }

    @Test
    void aViewerLooksAtEverythingButPayloads() {
        try (Inbox app = Inbox.on(LOGINS.as(Role.APP)).start();
                Inbox operator = Inbox.on(LOGINS.as(Role.OPERATOR)).start()) {
            app.handle("viewed", message("done"), ctx -> ctx.result("{}"));
            app.handle("viewed", message("parked"), RolesDbTest::park);
            operator.admin().pause("viewed", Operation.of("anna", "maintenance"));
        }
        try (Inbox viewer = Inbox.on(LOGINS.as(Role.VIEWER)).start()) {
            InboxAdmin admin = viewer.admin();
            assertThat(admin.consumers()).contains("viewed");
            Filter parked = Filter.of("viewed").status(Status.PARKED);
            var message = admin.list(parked.type("OrderPlaced").key(""), Page.first(10));
            assertThat(message.messages()).isEmpty();
            var found = admin.list(parked, Page.first(10)).messages().get(0);
            assertThat(found.content().payloadBytes()).isEqualTo(15);
            assertThat(admin.count(parked, 10)).hasToString("1");
            assertThat(admin.failureGroups(parked, 10))
                    .extracting(FailureGroup::count)
                    .containsExactly(1L);
            assertThat(admin.attempts(found)).hasSize(1);
            assertThat(admin.operations(found)).isEmpty();
            assertThat(admin.explain("viewed", found.id()).sentences()).isNotEmpty();
            assertThat(admin.find("viewed", new io.idembox.MessageId("/orders", "done")))
                    .isPresent();
            assertThat(admin.lag("viewed").waiting().number()).isZero();
            assertThat(admin.paused("viewed")).isPresent();
            assertThatThrownBy(() -> admin.resume("viewed", Operation.of("eve", "because I can")))
                    .hasStackTraceContaining("42501");
            assertThatThrownBy(() -> viewer.store("viewed", message("new"))).hasStackTraceContaining("42501");
        }
    }

    @Test
    void anOperatorTakesCampaignsOn() {
        ConsumerPolicy ordered = ConsumerPolicy.defaults().ordering(Ordering.HOLD);
        try (Inbox app = Inbox.on(LOGINS.as(Role.APP)).consumer("many", ordered).start()) {
            app.subscribe("many")
                    .on("OrderPlaced", String.class, (order, ctx) -> park(ctx))
                    .handle(message("1").keyed("a"));
        }
        try (Inbox operator =
                Inbox.on(LOGINS.as(Role.OPERATOR)).consumer("many", ordered).start()) {
            Campaigns campaigns = operator.admin().campaigns();
            campaigns.plan(
                    Command.DISCARD,
                    Filter.of("many"),
                    CampaignOptions.defaults(),
                    new Operation("many", "anna", "all of them"));
            campaigns.start("many", Operation.of("anna", "as planned"));
            campaigns.advance("many");
            assertThat(campaigns.advance("many").state()).isEqualTo(Campaign.State.DONE);
        }
        assertThat(statuses("many")).containsExactly("DISCARDED");
    }

    @Test
    void whoIsAnApplicationAndAnOperatorReplays() {
        ConsumerPolicy projection = STORED.recording(Recording.FULL).replay(Replay.NO_EFFECTS);
        Seen seen = new Seen();
        try (Inbox both = Inbox.on(LOGINS.asApplicationOfOperators())
                .consumer("replayed", projection)
                .listener(seen)
                .start()) {
            both.subscribe("replayed")
                    .on("OrderPlaced", String.class, (order, ctx) -> effect(ctx, "replayed"))
                    .start();
            both.store("replayed", message("1"));
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
            both.admin()
                    .replays()
                    .plan(
                            ReplayRange.of("replayed"),
                            CampaignOptions.defaults(),
                            new Operation("replay", "anna", "again"));
            both.admin().replays().start("replay", Operation.of("anna", "as planned"));
            both.admin().campaigns().advance("replay");
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 2);
        } finally {
            LOGINS.withoutOperators();
        }
        assertThat(LOGINS.list("select id from effect where note = 'replayed'")).containsExactly("1", "1");
    }

    @Test
    void anOperatorPlansReplaysAndLeavesTheRestToWhoIsAnApplicationToo() {
        ConsumerPolicy projection =
                ConsumerPolicy.defaults().recording(Recording.FULL).replay(Replay.NO_EFFECTS);
        try (Inbox operator = Inbox.on(LOGINS.as(Role.OPERATOR))
                        .consumer("planned", projection)
                        .start();
                Inbox both = Inbox.on(LOGINS.asApplicationOfOperators())
                        .consumer("planned", projection)
                        .start()) {
            both.handle("planned", message("1"), ctx -> {});
            Replays replays = operator.admin().replays();
            ReplayRange all = ReplayRange.of("planned");
            Operation first = new Operation("first", "anna", "again");
            assertThat(replays.plan(all, CampaignOptions.defaults(), first).wouldRun())
                    .isEqualTo(1);
            replays.plan(all, CampaignOptions.defaults(), new Operation("second", "anna", "later"));
            assertMayNot(() -> replays.start("first", Operation.of("anna", "as planned")));
            both.admin().replays().start("first", Operation.of("bob", "as planned"));
            Campaigns campaigns = operator.admin().campaigns();
            campaigns.advance("first");
            assertMayNot(() -> campaigns.cancel("first", Operation.of("anna", "not now")));
            both.admin().campaigns().cancel("first", Operation.of("bob", "not now"));
            campaigns.cancel("second", Operation.of("anna", "never begun"));
            assertThat(campaigns.latest(2)).extracting(Campaign::state).containsOnly(Campaign.State.CANCELLED);
        } finally {
            LOGINS.withoutOperators();
        }
    }

    private static void assertMayNot(ThrowingCallable tried) {
        assertThatThrownBy(tried)
                .hasMessageContainingAll("This login may not do that", "42501", "for a replay idembox_app as well")
                .hasMessageNotContaining("all again");
    }

    @Test
    void anOperatorRedrivesDiscardsRestoresParksPausesAndNotes() {
        ConsumerPolicy ordered = ConsumerPolicy.defaults().ordering(Ordering.HOLD);
        try (Inbox app =
                Inbox.on(LOGINS.as(Role.APP)).consumer("commanded", ordered).start()) {
            app.subscribe("commanded")
                    .on("OrderPlaced", String.class, (order, ctx) -> park(ctx))
                    .handleAll(List.of(message("1").keyed("k1"), message("2").keyed("k2")));
        }
        try (Inbox operator = Inbox.on(LOGINS.as(Role.OPERATOR))
                .consumer("commanded", ordered)
                .start()) {
            InboxAdmin admin = operator.admin();
            Preview both = admin.preview(Filter.of("commanded"), 10);
            assertThat(admin.redrive(both.refs(), Operation.of("anna", "again")).done())
                    .isEqualTo(2);
            Preview due = admin.preview(Filter.of("commanded"), 10);
            assertThat(admin.park(due.refs(), Operation.of("anna", "wait")).done())
                    .isEqualTo(2);
            assertThat(admin.discard(
                                    admin.preview(Filter.of("commanded").id("1"), 10)
                                            .refs(),
                                    Operation.of("anna", "gone"))
                            .done())
                    .isEqualTo(1);
            Filter discarded = Filter.of("commanded").status(Status.DISCARDED);
            Operation restore = Operation.of("anna", "back");
            Preview gone = admin.preview(discarded, 10);
            assertThat(admin.restore(gone.refs(), restore).done()).isEqualTo(1);
            assertThat(admin.restore(gone.refs(), restore).repeated()).isTrue();
            assertThat(admin.pause("commanded", Operation.of("anna", "lunch"))).isTrue();
            assertThat(admin.resume("commanded", Operation.of("anna", "back"))).isTrue();
            FailureGroup group = admin.failureGroups(Filter.of("commanded"), 1).get(0);
            admin.note("commanded", group.id(), "known", Operation.of("anna", "looked into"));
            admin.note("commanded", group.id(), "mended", Operation.of("anna", "it was"));
        }
        assertThat(statuses("commanded")).containsExactly("PARKED", "PARKED");
        try (Inbox audit = Inbox.on(LOGINS.as(Role.AUDIT)).start()) {
            assertThat(audit.audit().after(0, 100))
                    .extracting(AuditEntry::consumer)
                    .contains("commanded");
            assertThat(audit.audit().verify(List.of(), List.of()).isIntact()).isTrue();
            assertThatThrownBy(() -> audit.admin().list(Filter.of("commanded"), Page.first(1)))
                    .hasStackTraceContaining("42501");
        }
    }

    @Test
    void anOperatorEditsOnceSomebodyLetsThemReadPayloads() {
        try (Inbox app = Inbox.on(LOGINS.as(Role.APP)).start()) {
            app.handle("edited", message("1"), RolesDbTest::park);
        }
        try (Inbox operator = Inbox.on(LOGINS.as(Role.OPERATOR)).start()) {
            InboxAdmin admin = operator.admin();
            MessageRef parked = admin.preview(Filter.of("edited"), 1).refs().get(0);
            assertThatThrownBy(() -> admin.edit(parked, Payload.json("{}"), Operation.of("anna", "mended")))
                    .hasStackTraceContaining("42501");
            LOGINS.letReadAndEdit(Role.OPERATOR);
            assertThat(admin.edit(parked, Payload.json("{}"), Operation.of("anna", "mended"))
                            .done())
                    .isEqualTo(1);
        } finally {
            LOGINS.letNobodyReadAndEdit(Role.OPERATOR);
        }
    }

    @Test
    void theMigratorChangesTables() {
        assertThat(Logins.run(LOGINS.as(Role.MIGRATOR), "alter table idembox_receipt_count add column later int"))
                .isZero();
        assertThat(Logins.run(LOGINS.as(Role.MIGRATOR), "alter table idembox_receipt_count drop column later"))
                .isZero();
    }

    /** What the transaction wrote itself is taken back, also behind a savepoint; what is committed stays, whoever wrote it. */
    @Test
    void anApplicationTakesBackItsOwnMarksOnly() throws SQLException {
        String insert = "insert into idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)"
                + " values (-7, now(), gen_random_uuid(), 0, 0, 'D', '\\x07')";
        String delete = "delete from idembox_ledger where arrival = -7";
        try (Connection connection = LOGINS.as(Role.APP).getConnection();
                Connection other = LOGINS.as(Role.APP).getConnection()) {
            connection.setAutoCommit(false);
            assertThat(Logins.run(connection, insert)).isEqualTo(1);
            assertThat(Logins.run(connection, delete)).isEqualTo(1);
            connection.setSavepoint();
            assertThat(Logins.run(connection, insert)).isEqualTo(1);
            connection.setSavepoint();
            assertThat(Logins.run(connection, delete)).isEqualTo(1);
            // Somebody who begins later and is done earlier.
            assertThat(Logins.run(other, insert.replace("x07", "x08"))).isEqualTo(1);
            assertThat(Logins.run(connection, delete)).isZero();
            connection.rollback();
            assertThat(Logins.run(other, delete)).isZero();
        }
        assertThat(Logins.run(LOGINS.as(Role.JANITOR), delete)).isEqualTo(1);
    }
}
