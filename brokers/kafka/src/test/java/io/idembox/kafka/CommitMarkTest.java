// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommitMarkTest {

    @ParameterizedTest
    @ValueSource(strings = {"billing", "billing first=7 consumer=x", "rechnung für alle"})
    void markIsReadAsItWasWritten(String consumer) {
        assertThat(CommitMark.parse(CommitMark.format("u7-_A", consumer, 42)))
                .contains(new CommitMark(Optional.of("u7-_A"), Optional.of(consumer), Optional.of(42L)));
    }

    @Test
    void markFitsIntoAFewHundredBytes() {
        assertThat(CommitMark.format("x".repeat(22), "x".repeat(200), Long.MAX_VALUE))
                .hasSizeLessThan(300);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "host-1", "{\"offset\":7}", "my idembox/1 topic=A first=7 consumer=x"})
    void otherMetadataIsNoMark(String metadata) {
        assertThat(CommitMark.parse(metadata)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idembox/2 x",
                "idembox/1",
                "idembox/1 topic=A first=-1 consumer=x",
                "idembox/1 topic=A first=7",
                "idembox/1 first=7 consumer=x"
            })
    void markOfAnotherVersionIsEmpty(String metadata) {
        assertThat(CommitMark.parse(metadata))
                .contains(new CommitMark(Optional.empty(), Optional.empty(), Optional.empty()));
    }
}
