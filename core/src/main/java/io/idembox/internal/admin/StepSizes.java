// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Command;

/**
 * The number of messages in the steps of a campaign. Pure.
 *
 * @param canary the first step; 0 when it is like the others
 * @param length every other step
 */
record StepSizes(int canary, int length) {

    private static final int COMMAND = 200;
    private static final int REPLAY = 1_000;

    static StepSizes of(Command command, CampaignOptions options) {
        int most = command == Command.REPLAY ? REPLAY : COMMAND;
        return new StepSizes(options.canary(), options.perSecond() == 0 ? most : Math.min(most, options.perSecond()));
    }

    int length(long step) {
        return step == 0 && canary > 0 ? canary : length;
    }

    /** Returns how many later steps cover this number of messages. */
    long covering(int messages) {
        return (messages + length - 1L) / length;
    }

    /** Returns how many steps a campaign of this size has. */
    long count(int messages) {
        int others = Math.max(0, messages - canary);
        return (canary > 0 && messages > 0 ? 1 : 0) + covering(others);
    }
}
