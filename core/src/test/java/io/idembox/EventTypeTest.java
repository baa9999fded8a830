// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import org.junit.jupiter.api.Test;

class EventTypeTest {

    @Test
    void nameAndVersionTellTypesApart() {
        assertThat(new EventType("OrderPlaced", 1))
                .isEqualTo(new EventType("OrderPlaced", 1))
                .isNotEqualTo(new EventType("OrderPlaced", 2))
                .isNotEqualTo(new EventType("orderPlaced", 1));
    }

    @Test
    void firstVersionGoesWithoutSaying() {
        assertThat(new EventType("OrderPlaced", 1)).hasToString("OrderPlaced");
        assertThat(new EventType("OrderPlaced", 2)).hasToString("OrderPlaced v2");
        assertThat(new EventType("OrderPlaced", 0)).hasToString("OrderPlaced v0");
        assertThat(EventType.UNKNOWN).hasToString("unknown");
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void aNameIsNeeded() {
        assertThatNullPointerException()
                .isThrownBy(() -> new EventType(null, 1))
                .withMessage("name");
    }

    @Test
    void negativeVersionsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EventType("OrderPlaced", -1))
                .withMessageContaining("OrderPlaced")
                .withMessageContaining("-1");
    }
}
