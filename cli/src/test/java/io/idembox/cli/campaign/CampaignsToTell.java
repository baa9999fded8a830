// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Campaigns for tests. */
final class CampaignsToTell {

    private CampaignsToTell() {}

    static Campaign of(Command command, Campaign.State state, Campaign.Progress progress, @Nullable String note) {
        return new Campaign(
                command,
                "billing",
                new Operation("c1", "anna", "because"),
                CampaignOptions.defaults().canary(10),
                state,
                progress,
                Instant.EPOCH,
                Instant.EPOCH,
                note);
    }

    static Campaign running(int given, int open) {
        return of(Command.REDRIVE, Campaign.State.RUNNING, new Campaign.Progress(400, given, given, 0, 0, open), null);
    }

    static Campaign paced(Campaign campaign, CampaignOptions options) {
        return new Campaign(
                campaign.command(),
                campaign.consumer(),
                campaign.operation(),
                options,
                campaign.state(),
                campaign.progress(),
                campaign.plannedAt(),
                campaign.changedAt(),
                campaign.note());
    }
}
