// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import java.util.Locale;

/** Renders a campaign's progress in one line of at most 80 columns. Pure. */
final class ProgressLine {

    private static final int WIDTH = 20;

    private ProgressLine() {}

    static String of(Campaign campaign) {
        Campaign.Progress progress = campaign.progress();
        int filled = progress.total() == 0 ? WIDTH : (int) ((long) WIDTH * progress.given() / progress.total());
        return String.format(
                        Locale.ROOT,
                        "[%s%s] %,d of %,d %s",
                        "#".repeat(filled),
                        " ".repeat(WIDTH - filled),
                        progress.given(),
                        progress.total(),
                        verb(campaign.command()))
                + countOf(progress.open(), "in progress")
                + countOf(progress.failed(), "failed")
                + countOf(progress.refused(), "refused");
    }

    /** The verb for the progress. A replay only releases messages; handlers run them later, in key order. */
    private static String verb(Command command) {
        return command == Command.REPLAY ? "released" : command.done();
    }

    private static String countOf(int number, String what) {
        return number == 0 ? "" : String.format(Locale.ROOT, ", %,d %s", number, what);
    }
}
