// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.Filter;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a campaign tells of itself: what failed, at what cost, and to whom it is whose. */
class CampaignTellsDbTest extends DatabaseTest {

    private static final ConsumerPolicy ONCE = ConsumerPolicy.defaults()
            .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));
    private static final CampaignOptions STEADY = CampaignOptions.defaults();

    private final ManualClock clock = ManualClock.create();
    private final AtomicInteger connections = new AtomicInteger();
    private int most = Integer.MAX_VALUE;
    private AdminBench bench;
    private Campaigns campaigns;

    @BeforeEach
    void failed() {
        bench = new AdminBench(database, clock, ONCE, context -> {
            throw new IllegalStateException("the bank is closed");
        });
        bench.node.store(
                IntStream.rangeClosed(1, 20).mapToObj(n -> message("m" + n)).toArray(Message[]::new));
        workUntilIdle();
        campaigns = bench.admin(database, Doorman.at(database.dataSource(), this::count), clock, Optional.of(ONCE))
                .campaigns();
    }

    /** Counts connections; after so many the database is away. */
    private void count() throws SQLException {
        if (connections.getAndIncrement() >= most) {
            throw new SQLException("away", "08006");
        }
    }

    private void workUntilIdle() {
        while (!bench.node.work().isEmpty()) {
            // what there is
        }
    }

    private Campaign plan(String id, CampaignOptions options) {
        return campaigns.plan(Command.REDRIVE, Filter.of(CONSUMER), options, operation(id));
    }

    private Campaign toItsEnd(String id) {
        Campaign campaign = campaigns.find(id).orElseThrow();
        while (campaign.state() == Campaign.State.RUNNING) {
            clock.advance(Duration.ofSeconds(1));
            campaign = campaigns.advance(id);
            workUntilIdle();
        }
        return campaign;
    }

    @Test
    void oneThatGoesOnAfterItsLastStepStillTellsWhatFailed() {
        plan("again", STEADY);
        campaigns.start("again", operation("start"));
        assertThat(toItsEnd("again").state()).isEqualTo(Campaign.State.STOPPED);

        campaigns.start("again", operation("all the same"));

        Campaign done = toItsEnd("again");
        assertThat(done.state()).isEqualTo(Campaign.State.DONE);
        assertThat(done.progress().failed()).isEqualTo(20);
    }

    @Test
    void howManySmallStepsThereWereIsNotPaidForByWhoLooks() {
        plan("slow", STEADY.perSecond(1).stopAbove(1));
        campaigns.start("slow", operation("start"));
        assertThat(toItsEnd("slow").progress().failed()).isEqualTo(20);

        connections.set(0);
        campaigns.find("slow");

        assertThat(connections.get())
                .as("it, its steps, and what became of them")
                .isLessThanOrEqualTo(4);
    }

    @Test
    void whoLosesTheDatabaseIsToldSoByEveryCall() {
        plan("again", STEADY);
        campaigns.start("again", operation("start"));
        campaigns.advance("again");
        connections.set(0);
        campaigns.advance("again");
        int needed = connections.get();

        for (int given = 0; given < needed; given++) {
            connections.set(0);
            most = given;
            assertThatThrownBy(() -> campaigns.advance("again")).isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void anIdIsOneDecision() {
        plan("again", STEADY);
        plan("also", STEADY);
        campaigns.start("again", operation("start"));

        assertThatThrownBy(() -> plan("again", STEADY.canary(1)))
                .hasMessageContaining("The id again belongs to another plan, by anna");
        assertThatThrownBy(() -> campaigns.start("also", operation("start")))
                .hasMessageContaining("a campaign to be started (campaign again)");
        assertThat(campaigns.find("also").orElseThrow().state()).isEqualTo(Campaign.State.PLANNED);
        assertThat(plan("also", STEADY).state()).isEqualTo(Campaign.State.PLANNED);
    }
}
