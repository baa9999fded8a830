// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.Retention;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** What a plan tells, and what is not replayed: then nothing is changed. */
class ReplayRefusalDbTest extends ReplayTest {

    @Test
    void aPlanTellsWhatWouldHappenAndChangesNothing() {
        begin(PROJECTION.retention(Retention.of(Duration.ofDays(30))));
        store("1/a", "2/a", "3/b");
        workUntilIdle();
        store("4/a");

        ReplayPlan plan = replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));
        ReplayPlan ofOneKey = replays().plan(ReplayRange.of(CONSUMER).key("b"), AS_IT_COMES, operation("b"));

        assertThat(plan.wouldRun()).isEqualTo(3);
        assertThat(plan.unfinished()).isEqualTo(1);
        assertThat(plan.suppressesEffects()).isTrue();
        assertThat(plan.purgedBefore()).isEqualTo(clock.instant().minus(Duration.ofDays(30)));
        assertThat(plan.refusal()).isNull();
        assertThat(ofOneKey.wouldRun()).isEqualTo(1);
        assertThat(database.count("idembox_entry")).isEqualTo(1);
    }

    @Test
    void aConsumerWithEffectsIsRefusedAndSaysWhere() {
        begin(PROJECTION.replay(Replay.FORBIDDEN));
        store("1/a");
        workUntilIdle();

        ReplayPlan plan = replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));

        assertThat(plan.refusal()).contains("forbids replays (replay: forbidden, the default)");
        assertThatThrownBy(() -> replays().start("plan", operation("start"))).hasMessage("Unknown campaign plan.");
    }

    @Test
    void aRefusedReplayIsInTheTrailWithWhoAskedAndWhyAndIsReported() {
        store("1/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("allowed"));
        begin(PROJECTION.replay(Replay.FORBIDDEN));

        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));
        assertThatThrownBy(() -> replays().start("allowed", operation("start"), ReplayTest::empty))
                .hasMessageContaining("forbids replays");

        assertThat(
                        database.list(
                                "select operation_id || ' ' || kind || ' ' || by_whom || ' ' || reason || ' ' || done || ' '"
                                        + " || substr(filter, 1, 8) from idembox_operation where number is not null order by number"))
                .containsExactly(
                        "plan REPLAY anna because plan 0 refused:", "start REPLAY anna because start 0 refused:");
        assertThat(bench.seen.all(InboxEvent.ReplayRefused.class))
                .extracting(refused -> refused.operation().id())
                .containsExactly("plan", "start");
        assertThat(bench.seen.all(InboxEvent.ReplayRefused.class).get(0).why()).contains("forbids replays");
    }

    @Test
    void aReplayPolicyWithoutPayloadsToReplayIsWarnedAboutAtTheStart() {
        try (Overheard log = new Overheard()) {
            for (Recording recording : Recording.values()) {
                inbox.subscribe("indexer-" + recording.name().toLowerCase(Locale.ROOT))
                        .policy(ConsumerPolicy.defaults().recording(recording).replay(Replay.NO_EFFECTS))
                        .on("OrderPlaced", String.class, (text, context) -> {})
                        .start();
            }

            assertThat(log.text())
                    .contains(
                            "Consumer indexer-ids: replay: no-effects has no effect, because recording: ids keeps no payloads")
                    .doesNotContain("Consumer indexer-full: replay:");
        }
    }

    @Test
    void oneThatWasPlannedWhenItWasAllowedIsRefusedWhenItIsNot() {
        store("1/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));
        begin(PROJECTION.replay(Replay.FORBIDDEN));

        assertThatThrownBy(() -> replays().start("plan", operation("start"), ReplayTest::empty))
                .hasMessageContaining("forbids replays");
        assertThat(projection()).containsExactly("a: 1");
    }

    @Test
    void aPreparationThatFailsUndoesEverything() {
        store("1/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));

        assertThatThrownBy(() -> replays().start("plan", operation("start"), connection -> {
                    empty(connection);
                    connection.commit();
                }))
                .hasMessageContaining("The preparation of the replay failed. Nothing was replayed");

        assertThat(projection()).containsExactly("a: 1");
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(bench.admin.campaigns().find("plan").orElseThrow().state()).isEqualTo(Campaign.State.PLANNED);
    }

    /** The same as if it had been cancelled before it began: nothing was wiped out, and nobody is held. */
    @Test
    void whoCancelsItWhileItBeginsIsHeardBeforeItOrAfterIt() {
        store("1/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));
        InboxAdmin second = bench.admin(database, database.dataSource(), clock, Optional.of(PROJECTION));
        InboxAdmin first = bench.admin(commands -> CampaignDbTest.before(commands, "lockGate", () -> {
            // It waits for us, and we are not going to end before it: so it is given up, and changes nothing.
            assertThatThrownBy(() -> second.campaigns().cancel("plan", operation("too late")))
                    .isInstanceOf(StoreUnavailableException.class);
        }));

        first.replays().start("plan", operation("start"), ReplayTest::empty);
        assertThat(second.campaigns().cancel("plan", operation("now")).state()).isEqualTo(Campaign.State.CANCELLED);
        store("2/a");
        workUntilIdle();

        assertThat(projection()).containsExactly("a: 2");
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void oneThatHasBegunDoesNotBeginAgain() {
        store("1/a", "2/a");
        workUntilIdle();
        start("rebuild");
        advanceWhileItMoves("rebuild");
        workUntilIdle();

        replays().start("rebuild", operation("again"), ReplayTest::empty);

        assertThat(projection()).containsExactly("a: 1 2");
        assertThat(database.list("select cast(max(generation) as varchar) from idembox_campaign"))
                .containsExactly("1");
    }

    @Test
    void aLaterOneThatLeavesOutWhatAnEarlierOneDidNotFinishIsRefused() {
        store("1/a", "2/b");
        workUntilIdle();
        failing.add("1");
        replay("all");
        failing.clear();
        replays().plan(ReplayRange.of(CONSUMER).key("b"), AS_IT_COMES, operation("b"));

        assertThatThrownBy(() -> replays().start("b", operation("start b")))
                .hasMessageContaining(
                        "1 messages of an earlier replay of consumer billing are unfinished and not in this range");
        assertThat(replay("all again").state()).isEqualTo(Campaign.State.DONE);
        assertThat(projection()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void theSamePlanWithAnotherRangeIsRefused() {
        store("1/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));

        assertThatThrownBy(() -> replays().plan(ReplayRange.of(CONSUMER).key("a"), AS_IT_COMES, operation("plan")))
                .hasMessageContaining(
                        "belongs to another plan, by anna: messages of billing to be replayed (replay of billing)");
    }

    @Test
    void whatHasToBeDeliveredAgainComesFirst() {
        begin(PROJECTION
                .mode(Mode.DIRECT)
                .ordering(Ordering.NONE)
                .retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO).by(RetryBy.REDELIVERY)));
        bench.node.handle(message("1", "a"));
        failing.add("2");
        bench.node.handle(message("2", "a"));
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));

        assertThatThrownBy(() -> replays().start("plan", operation("start"), ReplayTest::empty))
                .hasMessageContaining("1 messages of consumer billing failed and wait for redelivery");
        assertThat(projection()).containsExactly("a: 1");
    }

    /** It is under a lease. If that were taken away nobody would come for it, and no delivery could take it. */
    @Test
    void aDeliveryThatIsBeingHandledWithCareComesFirst() {
        ConsumerPolicy direct = PROJECTION
                .mode(Mode.DIRECT)
                .ordering(Ordering.NONE)
                .retry(PROJECTION.retry().by(RetryBy.REDELIVERY));
        begin(direct);
        new Life(database, clock, direct).receive(List.of(message("1", "a").at(new Position("orders", 3, 1))));
        // Gone without a word: whoever comes next is careful.
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));
        List<Throwable> refusals = new ArrayList<>();
        Life careful = new Life(database, clock, direct);
        careful.inside = () ->
                refusals.add(catchThrowable(() -> replays().start("plan", operation("too early"), ReplayTest::empty)));

        assertThat(careful.receive(List.of(message("2", "a").at(new Position("orders", 3, 2)))))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED);

        assertThat(refusals)
                .singleElement(InstanceOfAssertFactories.THROWABLE)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 messages of consumer billing failed and wait for redelivery");
        assertThat(effects()).containsExactly("1", "2");
        replays().start("plan", operation("now"), ReplayTest::empty);
        advanceWhileItMoves("plan");
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2");
    }
}
