// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.PauseStore;
import java.util.Optional;

/**
 * The half of the store that people look at and change.
 *
 * @param replays empty where the database cannot replay
 */
public record Files(
        AdminStore rows,
        CommandStore commands,
        PauseStore pauses,
        CampaignStore campaigns,
        Optional<ReplayStore> replays,
        TrailStore trail) {

    /** The same with other commands. */
    public Files with(CommandStore otherCommands) {
        return new Files(rows, otherCommands, pauses, campaigns, replays, trail);
    }
}
