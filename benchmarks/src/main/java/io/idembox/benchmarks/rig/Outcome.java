// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a suite found out.
 *
 * @param markdown the whole result file
 * @param summary the last line on the screen
 * @param passes whether all gates were passed
 */
public record Outcome(String markdown, String summary, boolean passes) {

    /** Quick runs have a file of their own: they do not replace a result. */
    public Path write(Path home, Options options) throws IOException {
        Path folder = Files.createDirectories(home.resolve("results"));
        return Files.writeString(folder.resolve(options.suite() + (options.quick() ? "-quick" : "") + ".md"), markdown);
    }
}
