// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuantilesTest {

    @Test
    void ninetyNineOfAHundredAreNotAboveThePercentile() {
        double[] figures =
                IntStream.rangeClosed(1, 100).mapToDouble(each -> 101 - each).toArray();

        assertThat(Quantiles.of(figures)).isEqualTo(new Quantiles(50, 95, 99, 100));
    }

    @Test
    void ofOneFigureAllAreThatFigure() {
        assertThat(Quantiles.of(7)).isEqualTo(new Quantiles(7, 7, 7, 7));
    }

    @Test
    void nothingHasNone() {
        assertThat(Quantiles.of().p99()).isNaN();
    }
}
