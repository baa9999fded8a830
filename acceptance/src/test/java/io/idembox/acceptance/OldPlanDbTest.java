// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.CONSUMER;
import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Command;
import io.idembox.admin.Filter;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A plan that nobody started is forgotten with its messages; one that somebody started is not. */
class OldPlanDbTest extends DatabaseTest {

    private static final Duration MONTH = Duration.ofDays(30);
    private static final int ROUNDS = 30;

    private final ManualClock clock = ManualClock.create();
    private AdminBench bench;
    private Campaigns campaigns;

    @BeforeEach
    void stored() {
        bench = new AdminBench(database, clock, ConsumerPolicy.defaults(), context -> {});
        bench.node.store(message("m1"), message("m2"));
        campaigns = bench.admin.campaigns();
    }

    private void plan(String id) {
        campaigns.plan(Command.PARK, Filter.of(CONSUMER), CampaignOptions.defaults(), operation(id));
    }

    private List<String> plansWithMessages() {
        return database.list("select campaign_id from idembox_campaign_step order by campaign_id");
    }

    @Test
    void whatNobodyStartedForLongIsForgotten() {
        plan("forgotten");
        plan("started");
        campaigns.start("started", operation("start"));
        clock.advance(MONTH.plusSeconds(1));
        plan("new");

        assertThat(bench.node.retention.purgePlans(MONTH, 10)).isEqualTo(1);

        assertThat(campaigns.find("forgotten")).isEmpty();
        assertThat(campaigns.find("started")).isPresent();
        assertThat(plansWithMessages()).containsExactly("new", "started");
        assertThat(bench.node.retention.purgePlans(MONTH, 10)).isZero();
    }

    @Test
    void whoeverStartsOneWhileItIsForgottenHasAllOfItOrNothing() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String id = "round " + round;
            plan(id);
            clock.advance(MONTH.plusSeconds(1));
            CompletableFuture<Integer> forgetting =
                    CompletableFuture.supplyAsync(() -> bench.node.retention.purgePlans(MONTH, 10));
            Optional<Campaign> started = start(id);
            int forgotten = forgetting.get(60, TimeUnit.SECONDS);

            assertThat(forgotten).as(id).isEqualTo(started.isPresent() ? 0 : 1);
            assertThat(plansWithMessages().contains(id)).as(id).isEqualTo(started.isPresent());
        }
    }

    private Optional<Campaign> start(String id) {
        try {
            return Optional.of(campaigns.start(id, operation("start " + id)));
        } catch (IllegalArgumentException gone) {
            return Optional.empty();
        }
    }
}
