// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.id;
import static io.idembox.acceptance.AdminBench.operation;
import static io.idembox.acceptance.AdminBench.verdicts;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Receipt;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.CommandResult;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each replay has sequences of its own, whatever was left of another. */
class ReplaySequenceDbTest extends ReplayTest {

    private static final ConsumerPolicy SEQUENCED = PROJECTION.sequence(
            SequencePolicy.by(SequenceNumber.header("place")).startingAt(1));
    private static final CampaignOptions WHATEVER_FAILS = AS_IT_COMES.stopAbove(1);

    /** Messages of key a, each of which is named as its place. */
    private void stored(ConsumerPolicy policy, int last) {
        begin(policy);
        for (int sequenceNumber = 1; sequenceNumber <= last; sequenceNumber++) {
            bench.node.store(placed(Integer.toString(sequenceNumber), "a", sequenceNumber));
        }
        workUntilIdle();
    }

    private void start(String id, ReplayRange range, CampaignOptions options) {
        replays().plan(range, options, operation(id));
        replays().start(id, operation("start " + id), ReplayTest::empty);
    }

    private Campaign replay(String id, CampaignOptions options) {
        start(id, ReplayRange.of(CONSUMER), options);
        advanceWhileItMoves(id);
        workUntilIdle();
        return advanceWhileItMoves(id);
    }

    private List<String> positions() {
        return database.list("select generation || ' ' || reached from idembox_sequence order by generation, reached");
    }

    /** As the page about campaigns says, rows of those that are over are the operator's to delete. */
    private void deleteCampaigns() {
        database.run("delete from idembox_campaign");
    }

    @Test
    void howFarOneCameThatWasCancelledIsNothingToALaterOne() {
        stored(SEQUENCED, 3);
        start("first", ReplayRange.of(CONSUMER), AS_IT_COMES.canary(2));
        bench.admin.campaigns().advance("first");
        workUntilIdle();
        assertThat(positions()).containsExactly("0 3", "1 2");
        bench.admin.campaigns().cancel("first", operation("enough"));
        deleteCampaigns();

        Campaign done = replay("second", AS_IT_COMES);

        assertThat(done.state()).isEqualTo(Campaign.State.DONE);
        assertThat(projection()).containsExactly("a: 1 2 3");
        assertThat(positions()).containsExactly("0 3");
    }

    @Test
    void whatIsRedrivenAfterAReplayIsDoneIsNothingToALaterOne() {
        stored(SEQUENCED, 3);
        failing.add("3");
        assertThat(replay("first", WHATEVER_FAILS).state()).isEqualTo(Campaign.State.DONE);
        failing.clear();
        bench.admin.redrive(bench.select("3"), operation("mended"));
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2 3");
        deleteCampaigns();

        replay("second", AS_IT_COMES);

        assertThat(projection()).containsExactly("a: 1 2 3");
        assertThat(positions()).containsExactly("0 3");
    }

    /** A process that ended between the end of a replay and what is tidied up after it. */
    @Test
    void whatNobodyTidiedUpIsNothingToALaterOne() {
        stored(SEQUENCED, 3);
        replay("first", AS_IT_COMES);
        database.run("insert into idembox_sequence (key_id, generation, consumer_id, reached)"
                + " select key_id, 1, consumer_id, 3 from idembox_sequence");
        deleteCampaigns();

        replay("second", AS_IT_COMES);

        assertThat(projection()).containsExactly("a: 1 2 3");
        assertThat(positions()).containsExactly("0 3");
    }

    /** What was discarded in a replay may be left out of a later one, and be restored when that runs. */
    @Test
    void oneHasANumberThatNoMessageOfAnotherHas() {
        begin(PROJECTION);
        store("1/a", "2/b");
        workUntilIdle();
        failing.add("1");
        replay("first", WHATEVER_FAILS);
        bench.admin.discard(bench.select("1"), operation("not needed"));
        deleteCampaigns();

        start("second", ReplayRange.of(CONSUMER).key("b"), AS_IT_COMES);

        assertThat(database.list("select state || ' ' || generation from idembox_entry order by generation"))
                .containsExactly("DISCARDED 1", "WAITING 2");
    }

    /** Its key has gone on, in the replay as it would have without one: it would be settled without being run. */
    @Test
    void oneThatWasPassedInAReplayIsNotRedriven() {
        stored(SEQUENCED.ordering(Ordering.SKIP_PARKED), 4);
        failing.add("2");
        start("first", ReplayRange.of(CONSUMER), WHATEVER_FAILS);
        advanceWhileItMoves("first");
        workUntilIdle();
        failing.clear();

        assertThat(verdicts(bench.admin.redrive(bench.select("2"), operation("while it runs"))))
                .containsExactly(CommandResult.PASSED);
        assertThat(advanceWhileItMoves("first").state()).isEqualTo(Campaign.State.DONE);
        assertThat(verdicts(bench.admin.redrive(bench.select("2"), operation("when it is done"))))
                .containsExactly(CommandResult.PASSED);

        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 3 4");
        assertThat(bench.admin.explain(CONSUMER, id("2")).toString())
                .contains(
                        "Its sequence number 2 was already passed (its key has reached 4): it cannot be redriven any more.");
        replay("second", AS_IT_COMES);
        assertThat(projection()).as("as the page says").containsExactly("a: 1 2 3 4");
        assertThat(positions()).containsExactly("0 4");
    }

    @Test
    void oneThatWasRestoredAfterItsReplayWentOnIsNotRedriven() {
        stored(SEQUENCED, 3);
        failing.add("2");
        start("first", ReplayRange.of(CONSUMER), WHATEVER_FAILS);
        advanceWhileItMoves("first");
        workUntilIdle();
        failing.clear();
        bench.admin.discard(bench.select("2"), operation("not needed"));
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 3");
        bench.admin.restore(bench.select("2"), operation("or is it"));

        assertThat(verdicts(bench.admin.redrive(bench.select("2"), operation("again"))))
                .containsExactly(CommandResult.PASSED);

        assertThat(positions()).containsExactly("0 3", "1 3");
    }

    @Test
    void whatHoldsItsKeyInAReplayIsRedrivenInItsTurn() {
        stored(SEQUENCED, 3);
        failing.add("2");
        start("first", ReplayRange.of(CONSUMER), WHATEVER_FAILS);
        advanceWhileItMoves("first");
        workUntilIdle();
        failing.clear();

        assertThat(verdicts(bench.admin.redrive(bench.select("2"), operation("mended"))))
                .as("the live messages are past it, and that is nothing to the replay")
                .containsExactly(CommandResult.DONE);

        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2 3");
    }

    /** In a replay nothing is missing that will ever come: whoever came too late the first time would be in time now. */
    @Test
    void whoWasNotRunTheFirstTimeIsNotRunNow() {
        begin(SEQUENCED.sequence(
                SequencePolicy.by(SequenceNumber.header("place")).startingAt(1).skipGapsAfter(Duration.ofMinutes(1))));
        bench.node.store(placed("1", "a", 1));
        workUntilIdle();
        bench.node.store(placed("3", "a", 3));
        clock.advance(Duration.ofMinutes(2));
        bench.node.gaps().look();
        workUntilIdle();
        assertThat(bench.node.handle(placed("2", "a", 2)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.SKIPPED);
        assertThat(projection()).containsExactly("a: 1 3");

        ReplayPlan plan = replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("look"));
        Campaign done = replay("rebuild", AS_IT_COMES);

        assertThat(plan.wouldRun()).isEqualTo(2);
        assertThat(plan.skipped()).isEqualTo(1);
        assertThat(done.progress().total()).isEqualTo(2);
        assertThat(projection()).containsExactly("a: 1 3");
    }
}
