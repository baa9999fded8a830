// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.PauseStore;
import java.util.Optional;

/**
 * The stores that operators read and change.
 *
 * @param replays empty when the database does not support replays
 */
public record AdminStores(
        AdminStore rows,
        CommandStore commands,
        PauseStore pauses,
        CampaignStore campaigns,
        Optional<ReplayStore> replays,
        AuditStore audit) {

    /** Returns a copy with another command store. */
    public AdminStores with(CommandStore otherCommands) {
        return new AdminStores(rows, otherCommands, pauses, campaigns, replays, audit);
    }
}
