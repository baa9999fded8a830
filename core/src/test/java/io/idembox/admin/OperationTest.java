// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A decision has somebody who made it, and a reason. */
class OperationTest {

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "a\u0000b", "\u001b[31m"})
    void whatCannotBeReadIsRefused(String text) {
        assertThatThrownBy(() -> new Operation(text, "anna", "why"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The id of an operation");
        assertThatThrownBy(() -> new Operation("1", text, "why")).hasMessageContaining("by");
        assertThatThrownBy(() -> new Operation("1", "anna", text))
                .hasMessageContaining("reason")
                .message()
                .doesNotContain("\u001b", "\n");
    }

    @Test
    void whatIsTooLongIsRefused() {
        assertThat(new Operation("i".repeat(100), "b".repeat(200), "r".repeat(2_000)))
                .isNotNull();
        assertThatThrownBy(() -> new Operation("i".repeat(101), "anna", "why")).hasMessageContaining("1 to 100");
        assertThatThrownBy(() -> new Operation("1", "b".repeat(201), "why")).hasMessageContaining("1 to 200");
        assertThatThrownBy(() -> new Operation("1", "anna", "r".repeat(2_001))).hasMessageContaining("1 to 2000");
    }

    @Test
    void newDecisionsHaveIdsOfTheirOwn() {
        assertThat(Operation.of("anna", "why").id())
                .isNotEqualTo(Operation.of("anna", "why").id());
    }
}
