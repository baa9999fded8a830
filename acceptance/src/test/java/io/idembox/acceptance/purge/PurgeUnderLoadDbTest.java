// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.purge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The quick variant of {@code ./acceptance/purge}. */
@Tag("slow")
class PurgeUnderLoadDbTest {

    @Test
    void whatIsExpiredGoesWhileWritersRunAndNothingElseIsTouched() {
        PurgeRun.Report report = PurgeRun.of(8_000);

        assertThat(report.violations()).as(report.line()).isEmpty();
        assertThat(report.line()).startsWith("purge expired=8000 left=0 ").contains(" deadlocks=0 writers=4 ");
    }
}
