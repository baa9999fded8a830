// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HandlerTimesTest {

    private static Optional<Duration> last(HandlerTimes times, int calls, long nanos) {
        Optional<Duration> told = Optional.empty();
        for (int i = 0; i < calls; i++) {
            told = times.add(nanos);
        }
        return told;
    }

    @Test
    void oneSlowCallInMoreThanAHundredIsNotToldTwoAre() {
        HandlerTimes times = new HandlerTimes();

        last(times, 1, 1_000);
        assertThat(last(times, 127, 1)).contains(Duration.ofNanos(1));
        last(times, 3, 1_000);
        assertThat(last(times, 125, 1)).contains(Duration.ofNanos(1_000));
    }

    @Test
    void betweenLooksNothingIsTold() {
        assertThat(last(new HandlerTimes(), 127, 1)).isEmpty();
    }

    @Test
    void oldCallsAreForgotten() {
        HandlerTimes times = new HandlerTimes();

        last(times, 1_024, 1_000);
        assertThat(last(times, 1_024, 1)).contains(Duration.ofNanos(1));
    }
}
