// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.DatabaseTest.message;
import static io.idembox.acceptance.KeyCase.consumer;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Whether what is settled may be handled again. On PostgreSQL, which alone can. */
final class ReplayKeys {

    private ReplayKeys() {}

    static List<KeyCase> all() {
        return List.of(consumer("replay")
                .besides("mode", "stored")
                .besides("recording", "full")
                .said("forbidden", "refused")
                .said("no-effects", "2 effects, 1 sent")
                .said("allowed", "2 effects, 2 sent")
                .when(ReplayKeys::replayed));
    }

    private static String replayed(PolicyBench bench) {
        try (TestDatabase database = TestDatabase.Kind.POSTGRESQL.open()) {
            database.run("create table effect (id varchar(100) not null, note varchar(100))");
            Seen seen = new Seen();
            try (Inbox inbox = Inbox.on(database.dataSource())
                    .createSchema()
                    .policies(bench.policies)
                    .outbox("receipts")
                    .listener(seen)
                    .start()) {
                inbox.subscribe(PolicyBench.CONSUMER)
                        .on("OrderPlaced", String.class, (order, context) -> writeAndSend(context))
                        .start();
                inbox.store(PolicyBench.CONSUMER, message("m1"));
                seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
                ReplayPlan plan = inbox.admin()
                        .replays()
                        .plan(
                                ReplayRange.of(PolicyBench.CONSUMER),
                                CampaignOptions.defaults(),
                                Operation.of("anna", "again"));
                if (plan.refusal() != null) {
                    return "refused";
                }
                inbox.admin().replays().start(plan.id(), Operation.of("anna", "as planned"));
                inbox.admin().campaigns().advance(plan.id());
                seen.awaitAnswers(Receipt.Kind.COMPLETED, 2);
            }
            return database.count("effect") + " effects, " + database.count("idembox_body where event_type = 'Receipt'")
                    + " sent";
        }
    }

    /** Each time with an id of its own, so that nothing is taken for a duplicate. */
    private static void writeAndSend(HandlerContext context) throws SQLException {
        DatabaseTest.effect(context);
        context.outbox().send("receipts", Message.of(UUID.randomUUID().toString(), "Receipt", "{}"));
    }
}
