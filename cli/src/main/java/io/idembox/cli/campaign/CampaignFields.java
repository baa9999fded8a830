// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import java.util.List;

/** Converts campaigns to output fields. Pure. */
public final class CampaignFields {

    private static final int NOTE_SHOWN = 60;

    /** Columns of the text format. */
    public static final List<Column> COLUMNS = List.of(
            Column.of("id"),
            Column.of("command"),
            Column.of("consumer"),
            Column.of("state"),
            Column.of("given"),
            Column.of("total"),
            Column.of("refused"),
            Column.of("failed"),
            Column.of("by"),
            Column.of("plannedAt").titled("PLANNED"),
            Column.of("note").atMost(NOTE_SHOWN));

    private CampaignFields() {}

    public static Fields of(Campaign campaign) {
        Campaign.Progress progress = campaign.progress();
        return Fields.of("id", campaign.id())
                .and("command", campaign.command())
                .and("consumer", campaign.consumer())
                .and("state", campaign.state())
                .and("total", progress.total())
                .and("given", progress.given())
                .and("done", progress.done())
                .and("refused", progress.refused())
                .and("failed", progress.failed())
                .and("open", progress.open())
                .and("canary", campaign.options().canary())
                .and("perSecond", campaign.options().perSecond())
                .and("stopAbove", campaign.options().stopAbove())
                .and("by", campaign.operation().by())
                .and("reason", campaign.operation().reason())
                .and("filter", campaign.operation().filter())
                .and("plannedAt", campaign.plannedAt())
                .and("changedAt", campaign.changedAt())
                .and("note", campaign.note());
    }
}
