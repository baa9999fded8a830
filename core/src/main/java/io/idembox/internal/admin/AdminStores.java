// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.PauseStore;
import java.util.Optional;

/**
 * The half of the store that people look at and change.
 *
 * @param replays empty where the database cannot replay
 */
public record AdminStores(
        AdminStore rows,
        CommandStore commands,
        PauseStore pauses,
        CampaignStore campaigns,
        Optional<ReplayStore> replays,
        AuditStore audit) {

    /** The same with other commands. */
    public AdminStores with(CommandStore otherCommands) {
        return new AdminStores(rows, otherCommands, pauses, campaigns, replays, audit);
    }
}
