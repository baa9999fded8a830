// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PayloadTest {

    @Test
    void jsonIsUtf8() {
        Payload payload = Payload.json("{\"größe\":\"😀\"}");

        assertThat(payload.bytes()).isEqualTo("{\"größe\":\"😀\"}".getBytes(StandardCharsets.UTF_8));
        assertThat(payload.text()).isEqualTo("{\"größe\":\"😀\"}");
        assertThat(payload.size()).isEqualTo(18);
        assertThat(payload.contentType()).isEqualTo("application/json");
        assertThat(payload.isTombstone()).isFalse();
    }

    @Test
    void bytesAreCopiedOnTheirWayIn() {
        byte[] given = {1, 2, 3};
        Payload payload = Payload.of(given, Payload.BINARY);

        given[0] = 9;

        assertThat(payload.bytes()).containsExactly(1, 2, 3);
    }

    @Test
    void bytesAreCopiedOnTheirWayOut() {
        Payload payload = Payload.of(new byte[] {1, 2, 3}, Payload.BINARY);

        payload.bytes()[0] = 9;

        assertThat(payload.bytes()).containsExactly(1, 2, 3);
    }

    @Test
    void aTombstoneIsNotEmptyBytes() {
        Payload empty = Payload.of(new byte[0], Payload.BINARY);

        assertThat(Payload.tombstone().isTombstone()).isTrue();
        assertThat(Payload.tombstone().bytes()).isEmpty();
        assertThat(Payload.tombstone().text()).isEmpty();
        assertThat(Payload.tombstone().size()).isZero();
        assertThat(empty.isTombstone()).isFalse();
        assertThat(empty).isNotEqualTo(Payload.tombstone());
        assertThat(Payload.tombstone().contentType()).isEqualTo("application/octet-stream");
    }

    @Test
    void bytesAndContentTypeMakeItEqual() {
        Payload payload = Payload.of(new byte[] {1}, "a/b");

        assertThat(payload)
                .isEqualTo(Payload.of(new byte[] {1}, "a/b"))
                .hasSameHashCodeAs(Payload.of(new byte[] {1}, "a/b"))
                .isNotEqualTo(Payload.of(new byte[] {1}, "a/c"))
                .isNotEqualTo(Payload.of(new byte[] {2}, "a/b"));
    }

    @Test
    void isNamedBySizeAndTypeOnly() {
        assertThat(Payload.json("\"secret\"")).hasToString("8 bytes of application/json");
        assertThat(Payload.tombstone()).hasToString("tombstone");
    }
}
