// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.internal.admin.CommandStore;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A command for very many messages goes step by step, and does not depend on whoever began it. */
class CampaignDbTest extends DatabaseTest {

    private static final ConsumerPolicy ONCE = ConsumerPolicy.defaults()
            .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));
    private static final Filter FAILED = Filter.of(CONSUMER).status(Status.FAILED_TERMINAL);
    private static final CampaignOptions AS_IT_COMES = CampaignOptions.defaults();
    private static final int STEP = 200;

    private final ManualClock clock = ManualClock.create();
    private final List<String> effects = new ArrayList<>();
    private boolean open;
    private AdminBench bench;
    private Campaigns campaigns;

    @BeforeEach
    void work() {
        begin(ONCE);
    }

    private void begin(ConsumerPolicy policy) {
        bench = new AdminBench(database, clock, policy, context -> {
            if (!open) {
                throw new IllegalStateException("the bank is closed");
            }
            effects.add(context.id().id());
        });
        campaigns = bench.admin.campaigns();
    }

    private void failed(int messages) {
        Message[] all = IntStream.rangeClosed(1, messages)
                .mapToObj(n -> message("m" + n))
                .toArray(Message[]::new);
        bench.node.store(all);
        workUntilIdle();
        assertThat(bench.admin.count(FAILED, 10_000).number()).isEqualTo(messages);
    }

    private void workUntilIdle() {
        while (!bench.node.work().isEmpty()) {
            // what there is
        }
    }

    private Campaign plan(String id, CampaignOptions options) {
        return campaigns.plan(Command.REDRIVE, FAILED, options, operation(id));
    }

    private void start(String id) {
        assertThat(campaigns.start(id, operation("start " + id)).state()).isEqualTo(Campaign.State.RUNNING);
    }

    private Campaign advanceWhileItMoves(String id) {
        Campaign before;
        Campaign after = campaigns.find(id).orElseThrow();
        do {
            before = after;
            after = campaigns.advance(id);
        } while (!after.equals(before));
        return after;
    }

    private static Campaign.Progress progress(int total, int given, int done, int failed, int open) {
        return new Campaign.Progress(total, given, done, given - done, failed, open);
    }

    @Test
    void aPlanChangesNothing() {
        failed(250);

        Campaign plan = plan("again", AS_IT_COMES);

        assertThat(plan.state()).isEqualTo(Campaign.State.PLANNED);
        assertThat(plan.progress()).isEqualTo(progress(250, 0, 0, 0, 0));
        assertThat(campaigns.advance("again")).isEqualTo(plan);
        assertThat(plan("again", AS_IT_COMES)).isEqualTo(plan);
        assertThat(bench.admin.count(FAILED, 1_000).number()).isEqualTo(250);
        assertThat(database.count("idembox_operation")).isZero();
    }

    @Test
    void allOfThemAreTriedOnceAndTheTrailNamesWhoAndWhy() {
        failed(450);
        open = true;
        plan("again", AS_IT_COMES);
        start("again");

        assertThat(advanceWhileItMoves("again").progress()).isEqualTo(progress(450, 450, 450, 0, 450));
        workUntilIdle();
        Campaign done = advanceWhileItMoves("again");

        assertThat(done.state()).isEqualTo(Campaign.State.DONE);
        assertThat(done.progress()).isEqualTo(progress(450, 450, 450, 0, 0));
        assertThat(effects).hasSize(450).doesNotHaveDuplicates();
        assertThat(database.list("select operation_id || ' ' || kind || ' ' || by_whom || ' ' || reason || ' ' || done"
                        + " from idembox_operation order by number"))
                .containsExactly(
                        "start again START anna because start again 1",
                        "again#1 REDRIVE anna because start again 200",
                        "again#2 REDRIVE anna because start again 200",
                        "again#3 REDRIVE anna because start again 50");
    }

    @Test
    void aCanaryThatFailsStopsItBeforeAnyOther() {
        failed(450);
        plan("again", AS_IT_COMES.canary(10));
        start("again");

        Campaign canary = advanceWhileItMoves("again");
        assertThat(canary.progress()).isEqualTo(progress(450, 10, 10, 0, 10));
        workUntilIdle();
        Campaign stopped = advanceWhileItMoves("again");

        assertThat(stopped.state()).isEqualTo(Campaign.State.STOPPED);
        assertThat(stopped.progress()).isEqualTo(progress(450, 10, 10, 10, 0));
        assertThat(stopped.note()).startsWith("10 of the 10 latest messages failed.");
        assertThat(database.list("select cast(count(*) as varchar) from idembox_attempt where number > 1"))
                .containsExactly("10");
    }

    @Test
    void aCanaryThatGoesThroughIsFollowedByTheOthers() {
        failed(300);
        open = true;
        plan("again", AS_IT_COMES.canary(10));
        start("again");
        advanceWhileItMoves("again");
        workUntilIdle();

        assertThat(advanceWhileItMoves("again").progress()).isEqualTo(progress(300, 300, 300, 0, 290));
    }

    @Test
    void oneThatStoppedGoesOnWhenSomebodySaysSo() {
        failed(300);
        plan("again", AS_IT_COMES.canary(10));
        start("again");
        advanceWhileItMoves("again");
        workUntilIdle();
        assertThat(advanceWhileItMoves("again").state()).isEqualTo(Campaign.State.STOPPED);
        open = true;

        campaigns.start("again", operation("mended"));
        advanceWhileItMoves("again");
        workUntilIdle();

        assertThat(advanceWhileItMoves("again").state()).isEqualTo(Campaign.State.DONE);
        assertThat(effects).hasSize(290).doesNotHaveDuplicates();
    }

    @Test
    void itKeepsToItsRate() {
        failed(100);
        open = true;
        plan("again", AS_IT_COMES.perSecond(25));
        start("again");

        assertThat(advanceWhileItMoves("again").progress().given()).isEqualTo(25);
        clock.advance(Duration.ofMillis(999));
        assertThat(advanceWhileItMoves("again").progress().given()).isEqualTo(25);
        clock.advance(Duration.ofMillis(1));
        assertThat(advanceWhileItMoves("again").progress().given()).isEqualTo(50);
    }

    @Test
    void whoeverCancelsItIsNamedAndNothingMoreIsDone() {
        failed(450);
        open = true;
        plan("again", AS_IT_COMES);
        start("again");
        campaigns.advance("again");

        Campaign cancelled = campaigns.cancel("again", operation("enough"));

        assertThat(cancelled.state()).isEqualTo(Campaign.State.CANCELLED);
        assertThat(cancelled.note()).isEqualTo("Cancelled by anna: because enough");
        assertThat(advanceWhileItMoves("again").progress().given()).isEqualTo(STEP);
    }

    @Test
    void whatChangedSinceThePlanIsLeftAlone() {
        failed(3);
        open = true;
        plan("again", AS_IT_COMES);
        bench.admin.redrive(bench.select("m2"), operation("by hand"));
        workUntilIdle();

        start("again");
        advanceWhileItMoves("again");
        workUntilIdle();

        assertThat(advanceWhileItMoves("again").progress()).isEqualTo(progress(3, 3, 2, 0, 0));
        assertThat(effects).containsExactlyInAnyOrder("m1", "m2", "m3");
    }

    @Test
    void twoWhoTakeTheSameStepDoItOnce() {
        failed(450);
        open = true;
        plan("again", AS_IT_COMES);
        plan("also", AS_IT_COMES);
        start("again");
        start("also");
        // Just before the first one locks its messages, the other campaign takes them.
        boolean[] within = new boolean[1];
        InboxAdmin first = bench.admin(commands -> before(commands, "lockGate", () -> {
            if (!within[0]) {
                within[0] = true;
                assertThat(campaigns.advance("also").progress().given()).isEqualTo(STEP);
            }
        }));

        first.campaigns().advance("again");
        campaigns.advance("again");
        advanceWhileItMoves("also");
        advanceWhileItMoves("again");
        workUntilIdle();

        assertThat(effects).hasSize(450).doesNotHaveDuplicates();
        assertThat(campaigns.find("again").orElseThrow().progress().given()).isEqualTo(450);
        assertThat(campaigns.find("also").orElseThrow().progress().given()).isEqualTo(450);
    }

    /** A process that ends before its commit leaves nothing, and the next one does the step. */
    @Test
    void aStepThatWasNotCommittedIsDoneByTheNext() {
        failed(450);
        open = true;
        plan("again", AS_IT_COMES);
        start("again");
        InboxAdmin mortal = bench.admin(commands -> before(commands, "store", () -> {
            throw new IllegalStateException("the process ends here");
        }));

        assertThatThrownBy(() -> mortal.campaigns().advance("again")).hasMessageContaining("the process ends here");
        assertThat(campaigns.find("again").orElseThrow().progress().given()).isZero();
        advanceWhileItMoves("again");
        workUntilIdle();

        assertThat(effects).hasSize(450).doesNotHaveDuplicates();
    }

    static CommandStore before(CommandStore commands, String method, Runnable surprise) {
        return (CommandStore) Proxy.newProxyInstance(
                CommandStore.class.getClassLoader(),
                new Class<?>[] {CommandStore.class},
                (proxy, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        surprise.run();
                    }
                    try {
                        return called.invoke(commands, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Test
    void onlyWhoKnowsTheOrderGoesOnWithAnOrderedConsumer() {
        begin(ONCE.ordering(Ordering.HOLD));
        bench.node.store(message("m1").keyed("k"), message("m2").keyed("k"));
        workUntilIdle();
        plan("again", AS_IT_COMES);
        start("again");
        InboxAdmin stranger = bench.admin(database, database.dataSource(), clock, Optional.empty());

        assertThat(stranger.campaigns().advance("again").progress().given()).isZero();
        assertThat(campaigns.advance("again").progress().given()).isEqualTo(1);
    }

    @Test
    void discardingManyIsACampaignToo() {
        failed(3);

        campaigns.plan(Command.DISCARD, FAILED, AS_IT_COMES, operation("away"));
        start("away");

        assertThat(advanceWhileItMoves("away").state()).isEqualTo(Campaign.State.DONE);
        assertThat(bench.admin
                        .count(Filter.of(CONSUMER).status(Status.DISCARDED), 10)
                        .number())
                .isEqualTo(3);
    }

    @Test
    void whatCannotBeACampaignIsSaid() {
        failed(1);
        plan("again", AS_IT_COMES);

        assertThatThrownBy(() -> campaigns.plan(Command.PAUSE, FAILED, AS_IT_COMES, operation("p")))
                .hasMessage("A campaign supports REDRIVE, PARK, DISCARD and RESTORE; was PAUSE");
        assertThatThrownBy(() -> campaigns.plan(Command.DISCARD, FAILED, AS_IT_COMES, operation("again")))
                .hasMessageContaining("Use a new id.");
        assertThatThrownBy(() -> campaigns.plan(
                        Command.REDRIVE, Filter.of(CONSUMER).status(Status.PARKED), AS_IT_COMES, operation("none")))
                .hasMessage("No messages match. Nothing was planned.");
        assertThatThrownBy(() -> campaigns.plan(Command.REDRIVE, Filter.of("nobody"), AS_IT_COMES, operation("n")))
                .hasMessage("Unknown consumer nobody. Nothing was planned.");
        assertThatThrownBy(() -> campaigns.start("unknown", operation("u"))).hasMessage("Unknown campaign unknown.");
    }

    /** What was done under an id is never done again, so nothing could be done under it. */
    @Test
    void theIdOfOneWhoseRowsWereDeletedIsUsedUp() {
        failed(3);
        plan("nightly", AS_IT_COMES);
        start("nightly");
        advanceWhileItMoves("nightly");
        workUntilIdle();
        advanceWhileItMoves("nightly");
        database.run("delete from idembox_campaign_step", "delete from idembox_campaign");

        assertThatThrownBy(() -> plan("nightly", AS_IT_COMES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("nightly", "deleted", "Use a new id");
        assertThat(campaigns.find("nightly")).isEmpty();
    }

    @Test
    void whoseRowsAreDeletedWhileItRunsAndPlannedByHandIsAnErrorAndDoesNotStandForEver() {
        failed(3);
        plan("nightly", AS_IT_COMES);
        start("nightly");
        advanceWhileItMoves("nightly");
        database.run("update idembox_campaign set position = 0, state = 'RUNNING'");

        assertThatThrownBy(() -> campaigns.advance("nightly"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Step 1 of campaign nightly was executed by an earlier campaign");
    }

    /** One bad message among twenty is known first: that says nothing of the nineteen that are being tried. */
    @Test
    void itIsNotStoppedForTheFirstFailureThatIsKnown() {
        failed(30);
        plan("again", AS_IT_COMES.canary(20).stopAbove(0.1));
        start("again");
        advanceWhileItMoves("again");
        bench.node.claim(1, 1).forEach(bench.node::work);

        assertThat(campaigns.find("again").orElseThrow().progress().failed()).isEqualTo(1);
        assertThat(advanceWhileItMoves("again").state()).isEqualTo(Campaign.State.RUNNING);
        open = true;
        workUntilIdle();
        assertThat(advanceWhileItMoves("again").state()).isEqualTo(Campaign.State.RUNNING);
    }

    @Test
    void whatItDoesIsDoneInTheNameOfWhoeverLetsItRun() {
        failed(1);
        open = true;
        plan("again", AS_IT_COMES);

        Campaign running = campaigns.start("again", new Operation("go", "bob", "the bank is open"));
        advanceWhileItMoves("again");

        assertThat(running.operation().by()).isEqualTo("bob");
        assertThat(database.list(
                        "select kind || ' ' || by_whom || ': ' || reason from idembox_operation order by number"))
                .containsExactly("START bob: the bank is open", "REDRIVE bob: the bank is open");
    }

    @Test
    void aLongFilterOfWhoeverLetsItRunIsCut() {
        failed(1);
        plan("again", AS_IT_COMES);

        campaigns.start("again", operation("go").selectedBy("x".repeat(2_000)));

        assertThat(database.one("select filter from idembox_operation"))
                .startsWith("campaign again, xxx")
                .hasSize(2_000);
    }

    @Test
    void aCanaryThatFailsStopsItAlsoBeforeTheNextStepIsDue() {
        failed(30);
        plan("again", AS_IT_COMES.canary(20).perSecond(1));
        start("again");
        advanceWhileItMoves("again");
        workUntilIdle();

        assertThat(advanceWhileItMoves("again").state()).isEqualTo(Campaign.State.STOPPED);
    }
}
