// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.Filter;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Status;
import io.idembox.internal.engine.Lease;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** M21, M22: what handlers wrote is built anew from what is kept, behind nobody's back. */
class ReplayDbTest extends ReplayTest {

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
    @Tag("slow")
    void aDeliveryThatIsBeingHandledIsWaitedFor() throws Exception {
        begin(PROJECTION.mode(Mode.DIRECT));
        bench.node.handle(message("1", "a"));
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("rebuild"));
        try (Connection underWay = database.dataSource().getConnection()) {
            underWay.setAutoCommit(false);
            bench.node.receiver.handleIn(underWay, message("2", "b"), this::project);

            assertThatThrownBy(() -> replays().start("rebuild", operation("too early"), ReplayTest::empty))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("somebody has been handling a delivery for more than 5 seconds.")
                    .hasMessageEndingWith("Nothing was changed. Call again with the same operation id.");
            underWay.commit();
        }

        replays().start("rebuild", operation("now"), ReplayTest::empty);
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
        replays().start("rebuild", operation("start"), ReplayTest::empty);
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
        ConsumerPolicy sequenced = PROJECTION.sequence(
                SequencePolicy.by(SequenceNumber.header("place")).startingAt(1));
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
        assertThat(database.list("select generation || ' ' || reached from idembox_sequence"))
                .containsExactly("0 4");
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

        assertThat(handled).containsExactly("o1 again");
    }

    /** Nothing of theirs was emptied, so nothing of theirs is done twice. */
    @Test
    void stepsOfMessagesOutsideTheRangeAreNotDoneAgain() {
        List<String> steps = new ArrayList<>();
        bench = new AdminBench(database, clock, PROJECTION, context -> {
            context.step("call", () -> {
                steps.add(context.id().id());
            });
            project(context);
        });
        failing.addAll(List.of("0", "1", "3"));
        store("0/b");
        clock.advance(Duration.ofHours(1));
        Instant later = clock.instant();
        store("1/a", "2/c", "3/c");
        workUntilIdle();
        assertThat(steps).containsExactlyInAnyOrder("0", "1", "2", "3");
        failing.clear();
        steps.clear();

        replays().plan(ReplayRange.of(CONSUMER).key("c"), AS_IT_COMES, operation("of a key"));
        replays().start("of a key", operation("start 1"), ReplayTest::empty);
        advanceWhileItMoves("of a key");
        bench.admin.redrive(bench.select("1", "3"), operation("mended 1"));
        workUntilIdle();
        assertThat(steps).as("1 is of another key").containsExactly("2", "3");

        advanceWhileItMoves("of a key");
        replays().plan(ReplayRange.of(CONSUMER).from(later), AS_IT_COMES, operation("of a time"));
        replays().start("of a time", operation("start 2"), ReplayTest::empty);
        advanceWhileItMoves("of a time");
        bench.admin.redrive(bench.select("0"), operation("mended 2"));
        workUntilIdle();
        assertThat(steps).as("0 came before").containsExactlyInAnyOrder("2", "3", "1", "2", "3");
        assertThat(projection()).containsExactly("a: 1", "b: 0", "c: 2 3");
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

    @Test
    void aConflictWhoseIdHasNoMarkIsInTheRange() {
        store("1/a");
        workUntilIdle();
        bench.node.store(message("1", "a").payload(Payload.json("{\"other\":true}")));
        // While an identity strategy is replaced: the mark is under the old id, the conflict came under the new one.
        database.run("update idembox_body set id = cast('new' as bytea) where original is not null");
        bench.admin.redrive(
                bench.admin
                        .preview(Filter.of(CONSUMER).status(Status.PARKED), 10)
                        .refs(),
                operation("both are right"));
        workUntilIdle();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("first"));
        replays().start("first", operation("start first"), ReplayTest::empty);

        Campaign done = replay("second");

        assertThat(done.progress().done()).isEqualTo(2);
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void theSamePlanAgainIsTheSamePlanHoweverFineItsTimes() {
        store("1/a");
        workUntilIdle();
        ReplayRange fine = ReplayRange.of(CONSUMER).from(Instant.parse("2020-01-01T00:00:00.123456789Z"));

        replays().plan(fine, AS_IT_COMES, operation("rebuild"));

        assertThat(replays().plan(fine, AS_IT_COMES, operation("rebuild")).wouldRun())
                .isEqualTo(1);
    }
}
