// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequencePolicyTest {

    private static final SequenceNumber VERSION = SequenceNumber.header("version");

    @Test
    void aPlaceIsAWholeNumberInAHeaderOrAField() {
        assertThat(VERSION.of(message("{}").header("version", " 42 "))).hasValue(42L);
        assertThat(SequenceNumber.jsonField("/meta/version").of(message("{\"meta\":{\"version\":7}}")))
                .hasValue(7L);
        assertThat(SequenceNumber.jsonField("/version").of(message("{\"version\":\"8\"}")))
                .hasValue(8L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.5", "1e3", "99999999999999999999", "one"})
    void whatIsNoWholeNumberIsNoPlace(String text) {
        assertThat(VERSION.of(message("{}").header("version", text))).isEmpty();
        assertThat(VERSION.of(message("{}"))).isEmpty();
    }

    @Test
    void gapsAreParkedAfterFiveMinutesUnlessSomethingElseIsSaid() {
        SequencePolicy policy = SequencePolicy.by(VERSION);

        assertThat(policy.onGap()).isEqualTo(SequencePolicy.OnGap.PARK);
        assertThat(policy.gapTimeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(policy.skipGapsAfter(Duration.ofSeconds(1)).onGap()).isEqualTo(SequencePolicy.OnGap.SKIP);
        assertThat(policy.refetchGapsAfter(Duration.ofSeconds(1), gap -> {}).onGap())
                .isEqualTo(SequencePolicy.OnGap.REFETCH);
        assertThat(policy.startingAt(1).first()).isEqualTo(1);
    }

    @Test
    void impossibleSettingsAreRefused() {
        SequencePolicy policy = SequencePolicy.by(VERSION);

        assertThatThrownBy(() -> policy.parkGapsAfter(Duration.ZERO))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("sequence.gap-timeout");
        assertThatThrownBy(() ->
                        new SequencePolicy(VERSION, null, Duration.ofSeconds(1), SequencePolicy.OnGap.REFETCH, null))
                .hasMessageContaining("refetch");
        assertThatThrownBy(() -> policy.startingAt(Long.MIN_VALUE)).hasMessageContaining("sequence.first");
        assertThatThrownBy(() -> new PausePolicy(0, 1, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .hasMessageContaining("pause.failure-rate");
        assertThatThrownBy(() -> new PausePolicy(1, 0, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .hasMessageContaining("pause.minimum");
    }

    private static Message message(String json) {
        return Message.of("1", "Counted", json);
    }
}
