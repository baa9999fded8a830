// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PolicyMatrixTest {

    /** Written by {@code ./acceptance/policy-matrix --table}. */
    @Test
    void theTableOfRefusedCombinationsIsOnThePage() throws IOException {
        Path page = Path.of(System.getProperty("basedir", "")).resolve("../docs/configuration.md");

        assertThat(Files.readString(page)).contains(Refusals.table());
    }

    @Test
    void everyRefusalSaysWhatToUseInstead() {
        assertThat(Combination.all())
                .extracting(Refusals::reasonOf)
                .filteredOn(java.util.Optional::isPresent)
                .allSatisfy(reason -> assertThat(reason.orElseThrow()).contains(":"));
    }

    @Test
    void redeliveryGoesWithDirectModeWithoutOrderOnly() {
        assertThat(Combination.all())
                .filteredOn(each ->
                        each.way().by().filter(RetryBy.REDELIVERY::equals).isPresent())
                .filteredOn(each -> Refusals.reasonOf(each).isEmpty())
                .isNotEmpty()
                .allMatch(each -> each.way().mode() == Mode.DIRECT
                        && each.way().ordering() == Ordering.NONE
                        && !each.isNumbered());
    }
}
