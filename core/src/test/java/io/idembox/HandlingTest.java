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

    @Test
    void carriesNoStackTrace() {
        Handling park = Handling.park("x");

        park.addSuppressed(new IllegalStateException());

        assertThat(park.getStackTrace()).isEmpty();
        assertThat(park.getSuppressed()).isEmpty();
    }
}
