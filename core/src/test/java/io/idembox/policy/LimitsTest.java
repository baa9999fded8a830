// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitsTest {

    @Test
    void defaultsAreBelowTheHardLimit() {
        assertThat(Limits.defaults()).isEqualTo(new Limits(16 * 1024 * 1024, 1_000, 1024 * 1024));
        assertThat(Limits.HARD_PAYLOAD_BYTES).isEqualTo(64 * 1024 * 1024);
    }

    @Test
    void boundsAreTaken() {
        assertThat(new Limits(1, 0, 0).payloadBytes()).isEqualTo(1);
        assertThat(new Limits(Limits.HARD_PAYLOAD_BYTES, Integer.MAX_VALUE, Integer.MAX_VALUE).payloadBytes())
                .isEqualTo(Limits.HARD_PAYLOAD_BYTES);
    }

    @ParameterizedTest
    @CsvSource({
        "limits.payload-bytes, 0, 1, 1",
        "limits.payload-bytes, -1, 1, 1",
        "limits.payload-bytes, 67108865, 1, 1",
        "limits.header-count, 1, -1, 1",
        "limits.header-bytes, 1, 1, -1"
    })
    void wrongSettingsAreNamed(String setting, int payloadBytes, int headerCount, int headerBytes) {
        assertThatThrownBy(() -> new Limits(payloadBytes, headerCount, headerBytes))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageStartingWith(setting + " ");
    }
}
