// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Pace;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Replays;
import io.idembox.internal.engine.Lease;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.Retention;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.Sequence;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** M21, M22: what handlers wrote is built anew from what is kept, behind nobody's back. */
class ReplayDbTest extends DatabaseTest {

    private static final ConsumerPolicy PROJECTION = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .recording(Recording.FULL)
            .ordering(Ordering.HOLD)
            .replay(Replay.NO_EFFECTS)
            .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));
    private static final Pace AS_IT_COMES = Pace.steady();

    private final ManualClock clock = ManualClock.create();
    private final List<String> handled = new ArrayList<>();
    private final List<String> failing = new ArrayList<>();
    private AdminBench bench;

    @BeforeEach
    void begin() {
        assumeTrue(isPostgres(), "a replay needs PostgreSQL");
        begin(PROJECTION);
    }

    private void begin(ConsumerPolicy policy) {
        bench = new AdminBench(database, clock, policy, this::project);
    }

    /** What each key has seen, in order: a wrong order makes another text. */
    private void project(HandlerContext context) throws SQLException {
        if (failing.contains(context.id().id())) {
            throw new IllegalStateException("not today");
        }
        handled.add(context.id().id() + (context.isReplay() ? " again" : ""));
        try (PreparedStatement write =
                context.connection().prepareStatement("update effect set note = note || ? where id = ?")) {
            write.setString(1, " " + context.id().id());
            write.setString(2, context.message().key().orElse("-"));
            if (write.executeUpdate() == 0) {
                effectOf(context);
            }
        }
    }

    private static void effectOf(HandlerContext context) throws SQLException {
        try (PreparedStatement insert =
                context.connection().prepareStatement("insert into effect (id, note) values (?, ?)")) {
            insert.setString(1, context.message().key().orElse("-"));
            insert.setString(2, context.id().id());
            insert.executeUpdate();
        }
    }

    private static Message message(String id, String key) {
        return message(id).keyed(key);
    }

    private void store(String... idsAndKeys) {
        for (String each : idsAndKeys) {
            String[] parts = each.split("/", -1);
            bench.node.store(message(parts[0], parts[1]));
        }
    }

    private void workUntilIdle() {
        while (!bench.node.work().isEmpty()) {
            // what there is
        }
    }

    private List<String> projection() {
        return database.list("select id || ': ' || note from effect order by id");
    }

    private Replays replays() {
        return bench.admin.replays();
    }

    private static void empty(Connection connection) throws SQLException {
        try (PreparedStatement truncate = connection.prepareStatement("truncate table effect")) {
            truncate.execute();
        }
    }

    private void start(String id) {
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation(id));
        assertThat(replays()
                        .start(id, operation("start " + id), ReplayDbTest::empty)
                        .state())
                .isEqualTo(Campaign.State.RUNNING);
    }

    private Campaign advanceWhileItMoves(String id) {
        Campaign before;
        Campaign after = bench.admin.campaigns().find(id).orElseThrow();
        do {
            before = after;
            after = bench.admin.campaigns().advance(id);
        } while (!after.equals(before));
        return after;
    }

    private Campaign replay(String id) {
        start(id);
        advanceWhileItMoves(id);
        workUntilIdle();
        return advanceWhileItMoves(id);
    }

    @Test
    void aProjectionIsBuiltAnewInTheOrderOfItsKeys() {
        store("1/a", "2/b", "3/a", "4/a", "5/b");
        workUntilIdle();
        List<String> before = projection();
        handled.clear();

        Campaign done = replay("rebuild");

        assertThat(done.state()).isEqualTo(Campaign.State.DONE);
        assertThat(done.progress().done()).isEqualTo(5);
        assertThat(projection()).isEqualTo(before).containsExactly("a: 1 3 4", "b: 2 5");
        assertThat(handled).containsExactlyInAnyOrder("1 again", "2 again", "3 again", "4 again", "5 again");
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.count("idembox_ledger")).isEqualTo(5);
    }

    @Test
    void theSameAgainIsTheNextGeneration() {
        store("1/a", "2/a");
        workUntilIdle();
        replay("first");

        assertThat(replay("second").state()).isEqualTo(Campaign.State.DONE);

        assertThat(projection()).containsExactly("a: 1 2");
        assertThat(database.list("select campaign_id || ' ' || generation from idembox_campaign order by generation"))
                .containsExactly("first 1", "second 2");
    }

    @Test
    void whatComesMeanwhileWaitsBehindTheReplayOfItsKey() {
        store("1/a", "2/b", "3/a");
        workUntilIdle();
        start("rebuild");

        store("4/a", "5/c");
        workUntilIdle();

        assertThat(projection()).as("its key has no history").containsExactly("c: 5");
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 3 4", "b: 2", "c: 5");
    }

    @Test
    void whatWasStoredBeforeItAndHasNotRunWaitsToo() {
        store("1/a");
        workUntilIdle();
        store("2/a");

        assertThat(replay("rebuild").progress().done()).isEqualTo(1);

        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2");
    }

    @Test
    void whoeverWorkedUnderALeaseWhenItBeganCannotCommit() {
        store("1/a");
        workUntilIdle();
        store("2/a");
        List<Lease> leases = bench.node.claim(1, 10);
        start("rebuild");

        leases.forEach(bench.node::work);

        assertThat(projection()).isEmpty();
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2");
        assertThat(database.list("select cast(crashes as varchar) from idembox_entry"))
                .isEmpty();
    }

    @Test
    void duplicatesAreDuplicatesAlsoMeanwhile() {
        begin(PROJECTION.mode(Mode.DIRECT));
        bench.node.handle(message("1", "a"));
        start("rebuild");

        assertThat(bench.node.handle(message("1", "a")).get(0).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(bench.node.handle(message("2", "a")).get(0).kind()).isEqualTo(Receipt.Kind.STORED);
        advanceWhileItMoves("rebuild");
        workUntilIdle();

        assertThat(projection()).containsExactly("a: 1 2");
    }

    @Test
    void whatComesMeanwhileIsKeptAlsoWhereTheBrokerRetries() {
        begin(PROJECTION.mode(Mode.DIRECT).retry(PROJECTION.retry().by(RetryBy.REDELIVERY)));
        bench.node.handle(message("1", "a"));
        start("rebuild");

        assertThat(bench.node.handle(message("2", "a")).get(0).kind()).isEqualTo(Receipt.Kind.STORED);
        advanceWhileItMoves("rebuild");
        workUntilIdle();

        assertThat(projection()).containsExactly("a: 1 2");
        assertThat(bench.node.handle(message("2", "a")).get(0).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
    }

    @Test
    void aDeliveryThatIsBeingHandledIsWaitedFor() throws Exception {
        begin(PROJECTION.mode(Mode.DIRECT));
        bench.node.handle(message("1", "a"));
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("rebuild"));
        try (Connection underWay = database.dataSource().getConnection()) {
            underWay.setAutoCommit(false);
            bench.node.receiver.handleIn(underWay, message("2", "b"), this::project);

            assertThatThrownBy(() -> replays().start("rebuild", operation("too early"), ReplayDbTest::empty))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("Nothing was changed; call again with the same operation id.");
            underWay.commit();
        }

        replays().start("rebuild", operation("now"), ReplayDbTest::empty);
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void aFailureHoldsItsKeyAndTooManyStopIt() {
        store("1/a", "2/b", "3/a", "4/b");
        workUntilIdle();
        failing.add("1");
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES.canary(2), operation("rebuild"));
        replays().start("rebuild", operation("start"), ReplayDbTest::empty);
        advanceWhileItMoves("rebuild");
        workUntilIdle();

        Campaign stopped = advanceWhileItMoves("rebuild");

        assertThat(stopped.state()).isEqualTo(Campaign.State.STOPPED);
        assertThat(stopped.progress().given()).isEqualTo(2);
        assertThat(projection()).containsExactly("b: 2");
        failing.clear();
        bench.admin.redrive(bench.select("1"), operation("mended"));
        replays().start("rebuild", operation("on"));
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(advanceWhileItMoves("rebuild").state()).isEqualTo(Campaign.State.DONE);
        assertThat(projection()).containsExactly("a: 1 3", "b: 2 4");
    }

    @Test
    void oneThatIsCancelledLetsThoseBehindItGo() {
        store("1/a", "2/a");
        workUntilIdle();
        start("rebuild");
        store("3/a");

        bench.admin.campaigns().cancel("rebuild", operation("enough"));
        workUntilIdle();

        assertThat(projection()).containsExactly("a: 3");
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void aSequenceHasAPositionInEachReplay() {
        ConsumerPolicy sequenced =
                PROJECTION.sequence(SequencePolicy.by(Sequence.header("place")).startingAt(1));
        begin(sequenced);
        bench.node.store(placed("1", "a", 1));
        bench.node.store(placed("3", "a", 3));
        bench.node.store(placed("2", "a", 2));
        bench.node.store(placed("old", "a", 2));
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2 3");

        Campaign done = replay("rebuild");

        assertThat(done.state()).isEqualTo(Campaign.State.DONE);
        assertThat(projection()).containsExactly("a: 1 2 3");
        bench.node.store(placed("4", "a", 4));
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2 3 4");
        assertThat(database.list("select generation || ' ' || reached from idembox_position"))
                .containsExactly("0 4");
    }

    private static Message placed(String id, String key, int place) {
        return message(id, key).header("place", Integer.toString(place));
    }

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
        assertThat(plan.leavesEffectsOut()).isTrue();
        assertThat(plan.forgottenBefore()).isEqualTo(clock.instant().minus(Duration.ofDays(30)));
        assertThat(plan.forbidden()).isNull();
        assertThat(ofOneKey.wouldRun()).isEqualTo(1);
        assertThat(database.count("idembox_entry")).isEqualTo(1);
    }

    @Test
    void aConsumerWithEffectsIsRefusedAndSaysWhere() {
        begin(PROJECTION.replay(Replay.FORBIDDEN));
        store("1/a");
        workUntilIdle();

        ReplayPlan plan = replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));

        assertThat(plan.forbidden()).contains("forbids replays (replay: forbidden, which is the default)");
        assertThatThrownBy(() -> replays().start("plan", operation("start"))).hasMessage("There is no campaign plan.");
    }

    @Test
    void oneThatWasPlannedWhenItWasAllowedIsRefusedWhenItIsNot() {
        store("1/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));
        begin(PROJECTION.replay(Replay.FORBIDDEN));

        assertThatThrownBy(() -> replays().start("plan", operation("start"), ReplayDbTest::empty))
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
                .hasMessageContaining("What prepares the replay failed, so nothing was replayed");

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
        InboxAdmin first = bench.admin(commands -> CampaignDbTest.before(commands, "gate", () -> {
            // It waits for us, and we are not going to end before it: so it is given up, and changes nothing.
            assertThatThrownBy(() -> second.campaigns().cancel("plan", operation("too late")))
                    .isInstanceOf(StoreUnavailableException.class);
        }));

        first.replays().start("plan", operation("start"), ReplayDbTest::empty);
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

        replays().start("rebuild", operation("again"), ReplayDbTest::empty);

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
                .hasMessageContaining("1 messages of an earlier replay of consumer billing are not finished");
        assertThat(replay("all again").state()).isEqualTo(Campaign.State.DONE);
        assertThat(projection()).containsExactly("a: 1", "b: 2");
    }

    @Test
    void theSamePlanWithAnotherRangeIsRefused() {
        store("1/a");
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));

        assertThatThrownBy(() -> replays().plan(ReplayRange.of(CONSUMER).key("a"), AS_IT_COMES, operation("plan")))
                .hasMessageContaining("is that of another plan: replay of billing.");
    }

    @Test
    void whatHasToBeDeliveredAgainComesFirst() {
        begin(PROJECTION
                .mode(Mode.DIRECT)
                .retry(RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO).by(RetryBy.REDELIVERY)));
        bench.node.handle(message("1", "a"));
        failing.add("2");
        bench.node.handle(message("2", "a"));
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("plan"));

        assertThatThrownBy(() -> replays().start("plan", operation("start"), ReplayDbTest::empty))
                .hasMessageContaining("1 messages of consumer billing failed and have to be delivered again");
        assertThat(projection()).containsExactly("a: 1");
    }

    @Test
    void aConflictThatWasHandledIsHandledAgainBesideTheOrder() {
        store("1/a");
        workUntilIdle();
        bench.node.store(message("1", "a").payload(Payload.json("{\"other\":true}")));
        bench.admin.redrive(bench.select("1"), operation("both are right"));
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 1");

        replay("rebuild");

        assertThat(projection()).containsExactly("a: 1 1");
    }

    @Test
    void twoMarksOfOneMessageAreOneMessage() {
        ConsumerPolicy changing = PROJECTION.identity(
                IdentityPolicy.by(Identity.headers("new-id")).replacing(Identity.headers("old-id")));
        begin(changing);
        bench.node.store(message("1", "a").header("new-id", "n1").header("old-id", "o1"));
        workUntilIdle();
        handled.clear();

        replay("rebuild");

        assertThat(handled).containsExactly("n1 again");
    }

    @Test
    void whatTheyFailedWithTheFirstTimeIsKeptAndNumbersGoOn() {
        failing.add("1");
        store("1/a");
        workUntilIdle();
        failing.clear();
        bench.admin.redrive(bench.select("1"), operation("mended"));
        workUntilIdle();

        replay("rebuild");

        assertThat(database.list("select number || ' ' || outcome from idembox_attempt"))
                .containsExactly("1 FAILED_TERMINAL");
        assertThat(database.list("select cast(attempts as varchar) from idembox_outcome"))
                .containsExactly("2");
    }
}
