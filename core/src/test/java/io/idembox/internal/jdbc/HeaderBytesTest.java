// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.idembox.Headers;
import io.idembox.Headers.Header;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeaderBytesTest {

    @Test
    void noHeadersComeBackAsNone() {
        assertThat(HeaderBytes.of(Headers.none())).isEqualTo(new byte[4]);
        assertThat(HeaderBytes.read(new byte[4])).isEqualTo(Headers.none());
    }

    /** Bodies are read again by later versions. */
    @Test
    void theLayoutStaysTheSameForEver() {
        Headers headers = Headers.of(List.of(Header.of("é", "x"), Header.of("b", new byte[] {-1, 0})));

        assertThat(HexFormat.of().formatHex(HeaderBytes.of(headers)))
                .isEqualTo("00000002" + "00000002c3a9" + "0000000178" + "0000000162" + "00000002ff00");
    }

    @Test
    void repeatedNamesKeepTheirOrder() {
        Headers headers = Headers.none()
                .with("a", "1")
                .with("b", "2")
                .with("a", "3")
                .with("A", "4")
                .with("a", "1");

        assertThat(roundTrip(headers).all())
                .extracting(Header::name, Header::text)
                .containsExactly(tuple("a", "1"), tuple("b", "2"), tuple("a", "3"), tuple("A", "4"), tuple("a", "1"));
    }

    @Test
    void emptyNamesAndValuesComeBack() {
        Headers headers = Headers.of(List.of(Header.of("", ""), Header.of("a", ""), Header.of("", "b")));

        assertThat(roundTrip(headers)).isEqualTo(headers);
    }

    @Test
    void everyByteComesBack() {
        byte[] every = new byte[256];
        for (int i = 0; i < every.length; i++) {
            every[i] = (byte) i;
        }
        Headers headers = Headers.of(List.of(Header.of("größe-😀", every), Header.of("a\nb\0", new byte[] {0})));

        assertThat(roundTrip(headers)).isEqualTo(headers);
        assertThat(roundTrip(headers).all().get(0).value()).isEqualTo(every);
    }

    @Test
    void manyHeadersComeBack() {
        List<Header> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(Header.of("name-" + i % 100, "value ".repeat(i % 7) + i));
        }
        Headers headers = Headers.of(many);

        assertThat(roundTrip(headers)).isEqualTo(headers);
    }

    private static Headers roundTrip(Headers headers) {
        return HeaderBytes.read(HeaderBytes.of(headers));
    }
}
