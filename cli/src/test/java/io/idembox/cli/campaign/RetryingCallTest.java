// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.StoreUnavailableException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Which calls are repeated after a lost answer. */
class RetryingCallTest {

    private int asked;

    private String answer(int lost, String sqlState) {
        if (asked++ < lost) {
            throw new StoreUnavailableException(
                    "Operation 1: not done.",
                    new StoreUnavailableException("Not done.", new SQLException("", sqlState)));
        }
        return "done";
    }

    @Test
    void lostAnswerIsRetried() {
        assertThat(RetryingCall.on(2, () -> answer(1, "08006"))).isEqualTo("done");

        assertThat(asked).isEqualTo(2);
    }

    @Test
    void missingPrivilegeIsNotRetried() {
        assertThatThrownBy(() -> RetryingCall.on(3, () -> answer(3, "42501")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("Operation 1: not done.");

        assertThat(asked).isEqualTo(1);
    }
}
