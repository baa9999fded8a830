// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.benchmarks.claims.ClaimMeter.Cost;
import org.junit.jupiter.api.Test;

class ClaimMeterTest {

    @Test
    void costOfOneClaimIsTheMeanSinceTheBeginning() {
        Cost cost = new Cost(30, 500, 40).since(new Cost(10, 100, 20)).each();

        assertThat(cost).isEqualTo(new Cost(1, 20, 1));
    }

    @Test
    void crowdIsComparedWithFew() {
        Crowd.Finding finding = new Crowd.Finding("any", true, new Cost(1, 10, 2), new Cost(1, 12, 3));

        assertThat(finding.bufferRatio()).isEqualTo(1.2);
        assertThat(finding.timeRatio()).isEqualTo(1.5);
    }
}
