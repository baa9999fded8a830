// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandlerExceptionTest {

    @Test
    void parkingHasAReasonAndNoDelay() {
        HandlerException park = HandlerException.park("negative amount");

        assertThat(park).hasMessage("negative amount");
        assertThat(park.retryAfter()).isEmpty();
    }

    @Test
    void retryingHasAReasonAndADelay() {
        assertThat(HandlerException.retryAfter(Duration.ofMinutes(5), "not yet"))
                .hasMessage("not yet");
        assertThat(HandlerException.retryAfter(Duration.ofMinutes(5), "not yet").retryAfter())
                .contains(Duration.ofMinutes(5));
        assertThat(HandlerException.retryAfter(Duration.ZERO, "now").retryAfter())
                .contains(Duration.ZERO);
    }

    @Test
    void negativeDelaysAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HandlerException.retryAfter(Duration.ofNanos(-1), "x"))
                .withMessageStartingWith("retryAfter ");
    }

    /** Beyond 292 years the nanoseconds of a pause do not fit into a number, and nobody could settle the message. */
    @Test
    void pausesOfMoreThanTenYearsAreRefused() {
        assertThat(HandlerException.retryAfter(Duration.ofDays(3_650), "x").retryAfter())
                .contains(Duration.ofDays(3_650));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HandlerException.retryAfter(Duration.ofDays(3_651), "x"))
                .withMessage("retryAfter must not be longer than ten years, was PT87624H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HandlerException.retryAfter(Duration.ofSeconds(Long.MAX_VALUE), "x"));
    }

    @Test
    void carriesNoStackTrace() {
        HandlerException park = HandlerException.park("x");

        park.addSuppressed(new IllegalStateException());

        assertThat(park.getStackTrace()).isEmpty();
        assertThat(park.getSuppressed()).isEmpty();
    }
}
