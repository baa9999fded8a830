// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.ReplayRange;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What other nodes do while a replay begins and while it runs: the same step, forgetting, ending without a word. */
class ReplayNodesDbTest extends ReplayTest {

    private static final Duration DAY = Duration.ofDays(1);

    /** By the time the second one looks, the messages of its step are gone, and those of the next one are first. */
    @Test
    void twoThatMeetInAStepLetItsMessagesGoOnceAndNoOthers() {
        store("1/a", "2/b", "3/c");
        workUntilIdle();
        handled.clear();
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES.perSecond(1), operation("rebuild"));
        replays().start("rebuild", operation("start"), ReplayTest::empty);
        bench.admin.campaigns().advance("rebuild");
        clock.advance(Duration.ofSeconds(1));
        List<Campaign> faster = new ArrayList<>();
        AtomicInteger connections = new AtomicInteger();
        InboxAdmin second = bench.admin(
                database,
                Doorman.at(database.dataSource(), () -> {
                    // The second one has seen where the campaign is, and not yet which messages are next.
                    if (connections.incrementAndGet() == 2) {
                        faster.add(bench.admin.campaigns().advance("rebuild"));
                    }
                }),
                clock,
                Optional.of(PROJECTION));
        connections.set(0);

        second.campaigns().advance("rebuild");
        workUntilIdle();

        assertThat(faster).extracting(campaign -> campaign.progress().given()).containsExactly(2);
        assertThat(bench.admin
                        .campaigns()
                        .find("rebuild")
                        .orElseThrow()
                        .progress()
                        .given())
                .isEqualTo(2);
        assertThat(handled).containsExactlyInAnyOrder("1 again", "2 again");
        clock.advance(Duration.ofSeconds(1));
        assertThat(second.campaigns().advance("rebuild").progress().given()).isEqualTo(3);
        assertThat(database.list("select operation_id || ' ' || done from idembox_operation order by number"))
                .containsExactly("start 1", "rebuild#1 1", "rebuild#2 1", "rebuild#3 1");
    }

    /** What was skipped as old the first time is skipped again, also behind one that ended processes. */
    @Test
    void oneThatIsParkedBecauseOfItsCrashesMovesTheSequenceOfItsReplay() {
        begin(PROJECTION
                .ordering(Ordering.SKIP_PARKED)
                .sequence(SequencePolicy.by(SequenceNumber.header("place")).startingAt(1)));
        bench.node.store(placed("1", "a", 1));
        bench.node.store(placed("2", "a", 2));
        bench.node.store(placed("old", "a", 2));
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1 2");
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES.canary(1), operation("rebuild"));
        replays().start("rebuild", operation("start"), ReplayTest::empty);
        advanceWhileItMoves("rebuild");
        workUntilIdle();
        advanceWhileItMoves("rebuild");

        for (int crash = 1; crash <= 3; crash++) {
            assertThat(bench.node.claim(1, 1)).hasSize(1);
            clock.advance(Bench.LEASE.plusSeconds(1));
            assertThat(bench.node.reap())
                    .extracting(each -> each.generation() + " " + each.crashes())
                    .containsExactly("1 " + crash);
        }
        workUntilIdle();

        assertThat(projection()).containsExactly("a: 1");
        assertThat(database.list("select message_id || ' ' || status || ' ' || reason from idembox_inbox"
                        + " where status <> 'COMPLETED'"))
                .containsExactly("2 PARKED CRASH");
        assertThat(database.list("select generation || ' ' || reached from idembox_sequence order by generation"))
                .containsExactly("0 2", "1 2");
    }

    @Test
    void whoForgetsDoesNotWaitForAReplayThatBeginsAndGoesOnAfterIt() {
        store("1/a");
        workUntilIdle();
        clock.advance(DAY.plusSeconds(1));
        replays().plan(ReplayRange.of(CONSUMER), AS_IT_COMES, operation("rebuild"));
        ExecutorService janitor = Executors.newSingleThreadExecutor();
        try {
            replays().start("rebuild", operation("start"), connection -> {
                assertThat(janitor.submit(this::purge))
                        .succeedsWithin(Duration.ofSeconds(30))
                        .isEqualTo(new RetentionStore.Purged(0, true));
                empty(connection);
            });
        } finally {
            janitor.shutdownNow();
        }
        assertThat(purge().count()).as("what is being replayed is not finished").isZero();

        advanceWhileItMoves("rebuild");
        workUntilIdle();
        assertThat(projection()).containsExactly("a: 1");
        clock.advance(DAY.plusSeconds(1));
        assertThat(purge().count()).isEqualTo(1);
        assertThat(database.count("idembox_ledger")).isZero();
    }

    private RetentionStore.Purged purge() {
        return bench.node.retention.purge(bench.node.receiver.consumer(), DAY, 100);
    }
}
