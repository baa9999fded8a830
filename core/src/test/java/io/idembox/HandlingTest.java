// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandlingTest {

    @Test
    void parkingHasAReasonAndNoDelay() {
        Handling park = Handling.park("negative amount");

        assertThat(park).hasMessage("negative amount");
        assertThat(park.retryAfter()).isEmpty();
    }

    @Test
    void retryingHasAReasonAndADelay() {
        assertThat(Handling.retryAfter(Duration.ofMinutes(5), "not yet")).hasMessage("not yet");
        assertThat(Handling.retryAfter(Duration.ofMinutes(5), "not yet").retryAfter())
                .contains(Duration.ofMinutes(5));
        assertThat(Handling.retryAfter(Duration.ZERO, "now").retryAfter()).contains(Duration.ZERO);
    }

    @Test
    void negativeDelaysAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handling.retryAfter(Duration.ofNanos(-1), "x"))
                .withMessageStartingWith("retryAfter ");
    }

    /** Beyond 292 years the nanoseconds of a pause do not fit into a number, and nobody could settle the message. */
    @Test
    void pausesOfMoreThanTenYearsAreRefused() {
        assertThat(Handling.retryAfter(Duration.ofDays(3_650), "x").retryAfter())
                .contains(Duration.ofDays(3_650));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handling.retryAfter(Duration.ofDays(3_651), "x"))
                .withMessage("retryAfter must not be longer than ten years, was PT87624H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handling.retryAfter(Duration.ofSeconds(Long.MAX_VALUE), "x"));
    }

    @Test
    void carriesNoStackTrace() {
        Handling park = Handling.park("x");

        park.addSuppressed(new IllegalStateException());

        assertThat(park.getStackTrace()).isEmpty();
        assertThat(park.getSuppressed()).isEmpty();
    }
}
