// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** M22: what a replay does about what happened outside the database the first time, by policy. */
class ReplayEffectsDbTest extends DatabaseTest {

    private static final ConsumerPolicy KEPT =
            ConsumerPolicy.defaults().mode(Mode.STORED).recording(Recording.FULL);

    private final AtomicInteger stepped = new AtomicInteger();
    private final AtomicInteger handled = new AtomicInteger();
    private final CountDownLatch first = new CountDownLatch(1);

    @BeforeEach
    void needsPostgres() {
        assumeTrue(isPostgres(), "a replay needs PostgreSQL");
    }

    /** One message under an id of its own, and one under an id that no replay has had before. */
    private void tell(HandlerContext context) throws Exception {
        int time = handled.incrementAndGet();
        context.step("call", () -> "call " + stepped.incrementAndGet());
        context.outbox().send("receipts", Message.of(context.effectKey("told"), "Known", "{}"));
        context.outbox().send("receipts", Message.of("time-" + time, "Fresh", "{}"));
    }

    private ReplayPlan replayed(ConsumerPolicy policy) throws InterruptedException {
        CountDownLatch completed = new CountDownLatch(2);
        try (Inbox running = builder()
                .outbox("receipts")
                .listener(event -> count(event, completed))
                .start()) {
            running.subscribe("billing")
                    .policy(policy)
                    .on("OrderPlaced", String.class, (order, ctx) -> tell(ctx))
                    .start()
                    .handleAll(List.of(message("1")));
            assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
            ReplayPlan plan = running.admin()
                    .replays()
                    .plan(ReplayRange.of("billing"), CampaignOptions.defaults(), Operation.of("anna", "again"));
            running.admin().replays().start(plan.id(), Operation.of("anna", "as planned"));
            Campaign begun = running.admin().campaigns().advance(plan.id());
            assertThat(begun.progress().given()).isEqualTo(1);
            assertThat(completed.await(30, TimeUnit.SECONDS)).isTrue();
            return plan;
        }
    }

    private void count(InboxEvent event, CountDownLatch completed) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            completed.countDown();
            first.countDown();
        }
    }

    private List<String> sent() {
        return database.list("select event_type from idembox_body where cause is not null");
    }

    @Test
    void withoutEffectsNothingIsSentAgain() throws Exception {
        ReplayPlan plan = replayed(KEPT.replay(Replay.NO_EFFECTS));

        assertThat(plan.effects()).isEqualTo(2);
        assertThat(plan.suppressesEffects()).isTrue();
        assertThat(handled).hasValue(2);
        assertThat(sent()).containsExactlyInAnyOrder("Known", "Fresh");
        assertThat(stepped)
                .as("what steps wrote may be wiped out, so they run again")
                .hasValue(2);
    }

    @Test
    void whereEffectsAreAllowedAnIdThatIsKnownIsStillSentOnce() throws Exception {
        ReplayPlan plan = replayed(KEPT.replay(Replay.ALLOWED));

        assertThat(plan.suppressesEffects()).isFalse();
        assertThat(handled).hasValue(2);
        assertThat(sent()).containsExactlyInAnyOrder("Known", "Fresh", "Fresh");
    }
}
