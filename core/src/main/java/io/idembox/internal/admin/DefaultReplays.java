// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayPlan;
import io.idembox.admin.ReplayRange;
import io.idembox.admin.Replays;
import io.idembox.internal.engine.RegisteredConsumer;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Default {@link Replays}: plans and starts replays, which continue as campaigns. Thread-safe. */
final class DefaultReplays implements Replays {

    private final DefaultCampaigns campaigns;
    private final ConsumerRegistry consumers;
    private final @Nullable ReplayRunner run;
    private final InstantSource clock;
    private final ReplayRefusals refusals;

    /** @param run null when the database does not support replays */
    DefaultReplays(
            DefaultCampaigns campaigns,
            ConsumerRegistry consumers,
            @Nullable ReplayRunner run,
            InstantSource clock,
            ReplayRefusals refusals) {
        this.refusals = refusals;
        this.campaigns = campaigns;
        this.consumers = consumers;
        this.run = run;
        this.clock = clock;
    }

    @Override
    public ReplayPlan plan(ReplayRange range, CampaignOptions options, Operation operation) {
        if (run == null) {
            throw new IllegalArgumentException(
                    "This database does not support replays. Use PostgreSQL, also in tests.");
        }
        ConsumerRegistry.Known known = consumers
                .find(range.consumer())
                .orElseThrow(() -> new IllegalArgumentException("Unknown consumer " + range.consumer() + "."));
        RegisteredConsumer consumer = known.consumer();
        ReplayStore.Contents contents = run.count(consumer, range);
        String forbidden = ReplayRunner.refusal(known).orElse(null);
        Instant forgotten = consumer.policy()
                .retention()
                .limit()
                .map(clock.instant()::minus)
                .orElse(null);
        if (forbidden != null) {
            refusals.refused(known, operation.selectedBy(range.toString()), forbidden);
        } else {
            campaigns.store(
                    consumer,
                    DefaultCampaigns.planned(
                            Command.REPLAY,
                            consumer,
                            operation.selectedBy(range.toString()),
                            options,
                            contents.wouldRun(),
                            StepSizes.of(Command.REPLAY, options).count(contents.wouldRun()),
                            new CampaignRow.Replay(range, 0)));
        }
        return new ReplayPlan(
                operation.id(),
                range,
                consumer.policy().replay(),
                contents.wouldRun(),
                contents.unfinished(),
                contents.withoutBody(),
                contents.skipped(),
                forgotten,
                contents.effects(),
                forbidden);
    }

    @Override
    public Campaign start(String id, Operation operation, Preparation preparation) {
        return campaigns.start(id, operation, preparation);
    }
}
