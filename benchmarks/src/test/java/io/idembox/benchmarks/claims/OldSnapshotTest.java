// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idembox.benchmarks.claims.MeteredLeases.Sample;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OldSnapshotTest {

    @Test
    void lastTwentiethIsComparedWithTheFirst() {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            samples.add(new Sample(i < 60 ? 0 : i, 100, i < 95 ? 10 : 30, i < 95 ? 1 : 2));
        }

        OldSnapshot.Finding finding = OldSnapshot.Finding.of(true, samples);

        assertThat(finding.first()).hasSize(5);
        assertThat(finding.last()).hasSize(5);
        assertThat(finding.bufferRatio()).isCloseTo(3.0, within(1e-9));
        assertThat(finding.timeRatio()).isCloseTo(2.0, within(1e-9));
        assertThat(finding.sweeps()).hasSize(10);
    }

    @Test
    void oneSweepAmongTheLastDoesNotDecide() {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            samples.add(new Sample(i == 99 ? 0 : 1, 100, i == 99 ? 9_000 : 10, 1));
        }

        assertThat(OldSnapshot.Finding.of(true, samples).bufferRatio()).isCloseTo(1.0, within(1e-9));
    }
}
