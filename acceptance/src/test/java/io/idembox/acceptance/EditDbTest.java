// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.id;
import static io.idembox.acceptance.AdminBench.operation;
import static io.idembox.acceptance.AdminBench.verdicts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.CommandResult;
import io.idembox.admin.MessageRef;
import io.idembox.admin.StoredPayload;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Limits;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A payload that nobody can handle is mended for the next attempt; what came is kept, and who changed it is written down. */
class EditDbTest extends DatabaseTest {

    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .limits(new Limits(100, 10, 1_000))
            .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));
    private static final Payload MENDED = Payload.json("{\"cents\":5000}");

    private final ManualClock clock = ManualClock.create();
    private final List<String> handled = new ArrayList<>();
    private AdminBench bench;

    @BeforeEach
    void failed() {
        bench = new AdminBench(database, clock, POLICY, context -> {
            String payload = context.message().payload().text();
            if (payload.contains("fifty")) {
                throw new IllegalArgumentException("not a number");
            }
            handled.add(context.id().id() + " " + payload + " "
                    + context.message().key().orElse("-") + " "
                    + context.message().headers().text("trace").orElse("-"));
        });
        bench.node.store(wrong());
        bench.node.work();
    }

    private static Message wrong() {
        return message("m1")
                .payload(Payload.json("{\"cents\":\"fifty\"}"))
                .keyed("a")
                .header("trace", "t1");
    }

    private MessageRef selected() {
        return bench.select("m1").get(0);
    }

    @Test
    void theNextAttemptHasTheNewPayloadAndEverythingElseAsItCame() {
        assertThat(verdicts(bench.admin.edit(selected(), MENDED, operation("edit"))))
                .containsExactly(CommandResult.DONE);
        bench.admin.redrive(List.of(selected()), operation("redrive"));
        bench.node.work();

        assertThat(handled).containsExactly("m1 {\"cents\":5000} a t1");
        assertThat(bench.node.store(wrong()).get(0).kind())
                .as("what came is what duplicates are compared with")
                .isEqualTo(Receipt.Kind.DUPLICATE);
    }

    @Test
    void whatCameIsKeptBesideItAndWhoChangedItIsWrittenDown() {
        bench.admin.edit(selected(), Payload.json("{\"cents\":1}"), operation("edit"));
        bench.admin.edit(selected(), MENDED, operation("edit again"));

        assertThat(payload(0).payload().text()).isEqualTo("{\"cents\":\"fifty\"}");
        assertThat(payload(1).payload().text()).isEqualTo("{\"cents\":1}");
        assertThat(bench.admin
                        .payload(CONSUMER, id("m1"), operation("newest"))
                        .orElseThrow()
                        .payload())
                .isEqualTo(MENDED);
        assertThat(database.list("select kind || ' ' || by_whom || ' ' || reason || ' ' || done from idembox_operation"
                        + " where kind = 'EDIT' order by number"))
                .containsExactly("EDIT anna because edit 1", "EDIT anna because edit again 1");
    }

    private StoredPayload payload(int revision) {
        return bench.admin
                .payload(CONSUMER, id("m1"), revision, operation("look at " + revision))
                .orElseThrow();
    }

    @Test
    void whoSawItBeforeSomebodyElseChangedItIsRefused() {
        MessageRef before = selected();
        clock.advance(Duration.ofSeconds(1));
        bench.admin.edit(before, MENDED, operation("anna"));

        assertThat(verdicts(bench.admin.edit(before, Payload.json("{}"), operation("bert"))))
                .containsExactly(CommandResult.CHANGED);
        assertThat(verdicts(bench.admin.redrive(List.of(before), operation("redrive"))))
                .containsExactly(CommandResult.CHANGED);
        assertThat(database.count("idembox_body")).isEqualTo(2);
    }

    @Test
    void theSameOperationAgainKeepsOneRevision() {
        MessageRef seen = selected();

        bench.admin.edit(seen, MENDED, operation("edit"));

        assertThat(bench.admin.edit(seen, MENDED, operation("edit")).repeated()).isTrue();
        assertThatThrownBy(() -> bench.admin.edit(seen, Payload.json("{}"), operation("edit")))
                .hasMessageContaining("1 messages to be edited (14 bytes of application/json, fingerprint ");
        assertThat(database.count("idembox_body")).isEqualTo(2);
    }

    @Test
    void onlyWhatFailedOrIsParkedAndFitsIsEdited() {
        bench.admin.discard(List.of(selected()), operation("away"));

        assertThat(verdicts(bench.admin.edit(selected(), MENDED, operation("edit"))))
                .containsExactly(CommandResult.NOT_APPLICABLE);
        assertThatThrownBy(() ->
                        bench.admin.edit(selected(), Payload.json("\"" + "x".repeat(100) + "\""), operation("large")))
                .hasMessage("The payload has 102 bytes, but consumer billing allows 100 (limits.payload-bytes)."
                        + " Nothing was changed.");
    }

    /** The broker delivers it again, and the broker's payload runs: an edit would be accepted and have no effect. */
    @Test
    void whatTheBrokerHasToDeliverAgainIsNotEditedUntilItIsParked() {
        ConsumerPolicy redelivered = ConsumerPolicy.defaults()
                .recording(Recording.FULL)
                .retry(RetryPolicy.exponential(5, Duration.ZERO, Duration.ZERO).by(RetryBy.REDELIVERY));
        AdminBench direct = new AdminBench(database, clock, redelivered, context -> {
            String payload = context.message().payload().text();
            if (payload.contains("fifty")) {
                throw new IllegalStateException("not a number");
            }
            handled.add(payload);
        });
        Message failing = message("m2").payload(Payload.json("{\"cents\":\"fifty\"}"));
        assertThat(direct.node.handle(failing).get(0).kind()).isEqualTo(Receipt.Kind.FAILED);

        assertThat(verdicts(direct.admin.edit(direct.select("m2").get(0), MENDED, operation("too early"))))
                .containsExactly(CommandResult.REDELIVERED);
        assertThat(database.count("idembox_body where revision > 0")).isZero();
        assertThat(CommandResult.REDELIVERED.description()).contains("park it, then edit and redrive it");

        direct.admin.park(direct.select("m2"), operation("park"));
        assertThat(verdicts(direct.admin.edit(direct.select("m2").get(0), MENDED, operation("edit"))))
                .containsExactly(CommandResult.DONE);
        assertThat(direct.node.handle(failing).get(0).acknowledges())
                .as("the delivery is answered as parked")
                .isTrue();
        direct.admin.redrive(direct.select("m2"), operation("redrive"));
        direct.node.work();

        assertThat(handled).containsExactly("{\"cents\":5000}");
    }

    @Test
    void aConflictingPayloadMayBeMendedToo() {
        bench.node.store(wrong().payload(Payload.json("{\"cents\":\"fifty-one\"}")));
        MessageRef conflict = bench.select("m1").stream()
                .filter(each -> each.arrival() != selected().arrival())
                .findFirst()
                .orElseThrow();

        assertThat(verdicts(bench.admin.edit(conflict, MENDED, operation("edit"))))
                .containsExactly(CommandResult.DONE);
        assertThat(bench.node
                        .store(wrong().payload(Payload.json("{\"cents\":\"fifty-one\"}")))
                        .get(0)
                        .kind())
                .as("it is the same conflict still")
                .isEqualTo(Receipt.Kind.REFUSED);
        assertThat(database.count("idembox_entry")).isEqualTo(2);
    }
}
